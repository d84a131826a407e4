//! The lesson `shoplog`, step by step, and what a student must see after each.

use crate::kafka_ui::{KafkaUi, Shown};
use integration_tests::{Daybook, eventually};
use kafka_protocol::messages::{
    incremental_alter_configs_request::{AlterConfigsResource, AlterableConfig},
    *,
};
use std::time::Duration;

fn shown(partition: i32, offset: i64, key: &str, value: &str) -> Shown {
    Shown { partition, offset, key: key.to_owned(), value: value.to_owned() }
}

/// What the page shows, one partition after the other; within a partition the order is the broker's.
fn by_partition(mut messages: Vec<Shown>) -> Vec<Shown> {
    messages.sort_by_key(|message| message.partition);
    messages
}

#[test]
fn the_shoplog_lesson() {
    let mut daybook =
        Daybook::start(&[("log.retention.check.interval.ms", "200"), ("log.initial.task.delay.ms", "200")]);
    let mut ui = KafkaUi::open(&daybook);

    // A log is empty at first: it starts and ends at 0.
    assert_eq!(ui.create_topic("shoplog", 2, &[]), [(0, 0), (0, 0)]);

    // Events are appended: each gets the next offset of its partition.
    ui.produce("shoplog", 0, "till", "pasta");
    ui.produce("shoplog", 0, "till", "bread");
    ui.produce("shoplog", 1, "web", "milk");
    assert_eq!(ui.topic_page("shoplog"), [(0, 2), (0, 1)]);

    // Reading takes nothing away: twice the same, from offset 0, in order.
    let all = [shown(0, 0, "till", "pasta"), shown(0, 1, "till", "bread"), shown(1, 0, "web", "milk")];
    for _ in 0..2 {
        assert_eq!(by_partition(ui.read_from_the_beginning("shoplog")), all);
    }

    // Two groups read at their own pace; what one commits does not move the other.
    ui.commit("billing", "shoplog", &[(0, 2), (1, 1)]);
    ui.commit("emails", "shoplog", &[(0, 1), (1, 0)]);
    let billing = [(0, 2, 0), (1, 1, 0)];
    let emails = [(0, 1, 1), (1, 0, 1)];
    for restarted in [false, true] {
        if restarted {
            daybook.restart();
            ui = KafkaUi::open(&daybook);
        }
        assert_eq!(ui.group_page("billing"), billing, "restarted: {restarted}");
        assert_eq!(ui.group_page("emails"), emails, "restarted: {restarted}");
        assert_eq!(by_partition(ui.read_from_the_beginning("shoplog")), all, "restarted: {restarted}");
    }

    // More events: the end moves, the committed offsets stay, the lag grows.
    ui.produce("shoplog", 1, "web", "eggs");
    ui.produce("shoplog", 1, "web", "salt");
    assert_eq!(ui.topic_page("shoplog"), [(0, 2), (0, 3)]);
    assert_eq!(ui.group_page("billing"), [(0, 2, 0), (1, 1, 2)]);
    assert_eq!(ui.group_page("emails"), [(0, 1, 1), (1, 0, 3)]);

    // Events are kept for a time: after it the log starts later, and its end stays.
    set_retention(&mut ui, "1000");
    eventually("retention", Duration::from_secs(20), || ui.topic_page("shoplog") == [(2, 2), (3, 3)]);
    assert_eq!(ui.read_from_the_beginning("shoplog"), []);
    ui.produce("shoplog", 0, "till", "rice");
    assert_eq!(ui.read_from_the_beginning("shoplog"), [shown(0, 2, "till", "rice")]);
}

/// `PATCH …/topics/NAME`: kafka-ui reads the settings first, then sets what the form holds.
fn set_retention(ui: &mut KafkaUi, retention_ms: &str) {
    ui.describe_topic_configs("shoplog", false);
    let config = AlterableConfig::default()
        .with_name(integration_tests::text("retention.ms"))
        .with_value(Some(integration_tests::text(retention_ms)));
    let resource = AlterConfigsResource::default()
        .with_resource_type(2)
        .with_resource_name(integration_tests::text("shoplog"))
        .with_configs(vec![config]);
    let request = IncrementalAlterConfigsRequest::default().with_resources(vec![resource]);
    assert_eq!(ui.admin.ask(1, &request).responses[0].error_code, 0);
}
