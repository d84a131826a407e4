use super::*;
use crate::catalog::testing::over_the_wire;

fn sizes() -> Vec<PartitionSize> {
    let size = |topic: &str, index, bytes| PartitionSize { topic: topic.into(), index, bytes };
    vec![size("b", 0, 7), size("a", 1, 5), size("a", 0, 0)]
}

async fn ask(version: i16, topics: Option<&[(&str, &[i32])]>) -> DescribeLogDirsResponse {
    let topic = |(name, partitions): &(&str, &[i32])| {
        DescribableLogDirTopic::default()
            .with_topic(TopicName(StrBytes::from_string((*name).to_owned())))
            .with_partitions(partitions.to_vec())
    };
    let topics = topics.map(|topics| topics.iter().map(topic).collect());
    let request = DescribeLogDirsRequest::default().with_topics(topics);
    over_the_wire(&handle(version, request, Path::new("/"), sizes()).await, version)
}

fn told(response: &DescribeLogDirsResponse) -> Vec<(String, i32, i64)> {
    let [dir] = &response.results[..] else { panic!("one folder") };
    assert_eq!((&*dir.log_dir, dir.error_code), ("/", 0));
    dir.topics
        .iter()
        .flat_map(|topic| {
            topic.partitions.iter().map(|partition| {
                (topic.name.to_string(), partition.partition_index, partition.partition_size)
            })
        })
        .collect()
}

/// ADM-17
#[tokio::test]
async fn sizes_are_told_per_partition() {
    for version in 1..=4 {
        let all = [("a".to_owned(), 0, 0), ("a".to_owned(), 1, 5), ("b".to_owned(), 0, 7)];
        let response = ask(version, None).await;
        assert_eq!(told(&response), all);
        let (total, usable) = (response.results[0].total_bytes, response.results[0].usable_bytes);
        assert_eq!(version >= 4, total > 0 && usable > 0 && usable <= total, "{total} {usable}");
        assert_eq!(told(&ask(version, Some(&[])).await), []);
        let some = ask(version, Some(&[("a", &[1, 9]), ("x", &[0])])).await;
        assert_eq!(told(&some), [("a".to_owned(), 1, 5)]);
    }
}

#[tokio::test]
async fn a_folder_that_is_gone_has_no_known_size() {
    let response = handle(4, DescribeLogDirsRequest::default(), Path::new("/no/such"), []).await;
    assert_eq!((response.results[0].total_bytes, response.results[0].usable_bytes), (-1, -1));
}
