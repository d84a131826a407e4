use super::*;
use crate::catalog::testing::{Fixture, over_the_wire};

fn to(name: &str, count: i32) -> CreatePartitionsRequest {
    let topic = CreatePartitionsTopic::default()
        .with_name(TopicName(StrBytes::from_string(name.to_owned())))
        .with_count(count)
        .with_assignments(None);
    CreatePartitionsRequest::default().with_topics(vec![topic]).with_timeout_ms(5000)
}

async fn ask(fixture: &Fixture, version: i16, request: CreatePartitionsRequest) -> (i16, Option<String>) {
    let response = over_the_wire(&handle(version, request, &fixture.topics).await, version);
    let [result] = &response.results[..] else { panic!("one topic") };
    (result.error_code, result.error_message.as_ref().map(|message| message.to_string()))
}

/// ADM-07: new partitions are consecutive and can be used at once.
#[tokio::test]
async fn topics_grow_and_never_shrink() {
    let fixture = Fixture::new();
    fixture.create("t", 2).await;
    for version in 0..=3 {
        let present = 2 + i32::from(version);
        for count in [present - 1, present, 0, -1] {
            let (code, message) = ask(&fixture, version, to("t", count)).await;
            assert_eq!((code, message.is_some()), (37, true));
        }
        assert_eq!(ask(&fixture, version, to("t", present + 2).with_validate_only(true)).await, (0, None));
        assert_eq!(ask(&fixture, version, to("tx", 4)).await, (3, None));
        assert_eq!(ask(&fixture, version, to("t", 9).with_timeout_ms(0)).await, (7, None));
        assert_eq!(ask(&fixture, version, to("t", present + 1)).await, (0, None));
        assert_eq!(fixture.topics.image().topics["t"].partitions.len() as i32, present + 1);
        assert!(fixture.host.partitions.lock().contains(&("t".to_owned(), present)));
    }
    assert_eq!(fixture.host.partitions.lock().len(), 6);
}
