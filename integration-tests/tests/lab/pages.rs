//! kafka-ui's other buttons: clear messages, delete a topic or group, reset offsets, the consumer group page.

use crate::kafka_ui::KafkaUi;
use integration_tests::{Daybook, group_id, topic_name};
use kafka_protocol::messages::{
    delete_records_request::{DeleteRecordsPartition, DeleteRecordsTopic},
    delete_topics_request::DeleteTopicState,
    offset_delete_request::{OffsetDeleteRequestPartition, OffsetDeleteRequestTopic},
    *,
};

fn with_messages() -> (Daybook, KafkaUi) {
    let daybook = Daybook::start(&[]);
    let mut ui = KafkaUi::open(&daybook);
    ui.create_topic("shoplog", 2, &[]);
    ui.produce("shoplog", 0, "till", "pasta");
    ui.produce("shoplog", 0, "till", "bread");
    (daybook, ui)
}

/// `DELETE …/messages`: filled partitions are cut at their end, which the page then shows as the start.
#[test]
fn messages_are_cleared() {
    let (_daybook, mut ui) = with_messages();
    let partition = DeleteRecordsPartition::default().with_partition_index(0).with_offset(2);
    let topic =
        DeleteRecordsTopic::default().with_name(topic_name("shoplog")).with_partitions(vec![partition]);
    let request = DeleteRecordsRequest::default().with_topics(vec![topic]).with_timeout_ms(30_000);
    let cleared = ui.admin.ask(2, &request).topics.remove(0).partitions.remove(0);
    assert_eq!((cleared.error_code, cleared.low_watermark), (0, 2));
    assert_eq!(ui.topic_page("shoplog"), [(2, 2), (0, 0)]);
    assert!(ui.read_from_the_beginning("shoplog").is_empty());
}

/// `DELETE …/topics/NAME`, and a clone of it from its described settings (`POST …/clone`).
#[test]
fn a_topic_is_deleted_and_cloned() {
    let (_daybook, mut ui) = with_messages();
    let described = ui.describe_topic_configs("shoplog", true);
    assert!(
        described.configs.iter().all(|config| config.documentation.is_some()),
        "the settings tab explains"
    );
    let pairs: Vec<(String, String)> = described
        .configs
        .iter()
        .map(|config| (config.name.to_string(), config.value.as_ref().expect("never null").to_string()))
        .collect();
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(ui.create_topic("clone", 2, &pairs), [(0, 0), (0, 0)]);

    let state = DeleteTopicState::default().with_name(Some(topic_name("shoplog")));
    let request = DeleteTopicsRequest::default().with_topics(vec![state]).with_timeout_ms(30_000);
    assert_eq!(ui.admin.ask(6, &request).responses[0].error_code, 0);
    let left = ui.admin.ask(12, &MetadataRequest::default().with_topics(None)).topics;
    assert!(left.iter().all(|topic| topic.name != Some(topic_name("shoplog"))));
}

/// `GET …/consumer-groups/nope` is a page with state DEAD, not an error.
#[test]
fn an_unknown_group_is_shown_as_dead() {
    let (_daybook, mut ui) = with_messages();
    let group = ui.describe_groups(&["nope"]).remove(0);
    assert_eq!((group.error_code, group.group_state.as_str()), (0, "Dead"));
    assert!(ui.committed("nope").is_empty());
}

/// Resetting, deleting a topic's offsets, deleting the group.
#[test]
fn a_groups_offsets_are_reset_and_deleted() {
    let (_daybook, mut ui) = with_messages();
    ui.commit("billing", "shoplog", &[(0, 2)]);
    assert_eq!(ui.group_page("billing"), [(0, 2, 0)]);
    ui.commit("billing", "shoplog", &[(0, 0)]);
    assert_eq!(ui.group_page("billing"), [(0, 0, 2)]);

    let partition = OffsetDeleteRequestPartition::default().with_partition_index(0);
    let topic =
        OffsetDeleteRequestTopic::default().with_name(topic_name("shoplog")).with_partitions(vec![partition]);
    let request = OffsetDeleteRequest::default().with_group_id(group_id("billing")).with_topics(vec![topic]);
    let deleted = ui.admin.ask(0, &request);
    assert_eq!((deleted.error_code, deleted.topics[0].partitions[0].error_code), (0, 0));
    assert!(ui.committed("billing").is_empty());

    let delete = DeleteGroupsRequest::default().with_groups_names(vec![group_id("billing")]);
    let code = ui.admin.ask(2, &delete).results[0].error_code;
    assert!([0, 69].contains(&code), "gone now, or gone already with its last offset: {code}");
}
