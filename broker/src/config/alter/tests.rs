use super::*;

fn map(pairs: &[(&str, &str)]) -> ConfigMap {
    pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

fn change(op: Op, name: &str, value: &str) -> Change {
    Change { name: name.into(), op, value: Some(value.into()) }
}

fn delete(name: &str) -> Change {
    Change { name: name.into(), op: Op::Delete, value: None }
}

fn topic(overrides: &[(&str, &str)], changes: &[Change]) -> Result<ConfigMap, Refusal> {
    let changed = apply_topic_ops(&map(overrides), changes, &Layers::default())?;
    check_topic(&changed)?;
    Ok(changed)
}

fn is_request<T>(outcome: Result<T, Refusal>) -> bool {
    matches!(outcome, Err(Refusal::Request(_)))
}

fn is_value<T>(outcome: Result<T, Refusal>) -> bool {
    matches!(outcome, Err(Refusal::Value(_)))
}

/// ADM-08: only what is named changes, and what is deleted is back at its default.
#[test]
fn incremental_changes_leave_the_rest_alone() {
    let before = [("retention.ms", "5"), ("segment.ms", "6")];
    let after = topic(&before, &[change(Op::Set, "retention.ms", "7"), delete("segment.ms")]);
    assert_eq!(after, Ok(map(&[("retention.ms", "7")])));
    assert_eq!(topic(&before, &[]), Ok(map(&before)));
}

/// ADM-09
#[test]
fn list_operations_work_on_the_value_in_force() {
    let append =
        |overrides: &[(&str, &str)]| topic(overrides, &[change(Op::Append, "cleanup.policy", "compact")]);
    assert_eq!(append(&[]), Ok(map(&[("cleanup.policy", "delete,compact")])));
    assert_eq!(append(&[("cleanup.policy", "delete,compact")]), append(&[]));
    let subtract = |overrides: &[(&str, &str)], items: &str| {
        topic(overrides, &[change(Op::Subtract, "cleanup.policy", items)])
    };
    assert_eq!(
        subtract(&[("cleanup.policy", "delete,compact")], "delete"),
        Ok(map(&[("cleanup.policy", "compact")]))
    );
    assert_eq!(
        subtract(&[("cleanup.policy", "compact")], "delete"),
        Ok(map(&[("cleanup.policy", "compact")]))
    );
    assert_eq!(subtract(&[("cleanup.policy", "compact")], "compact"), Ok(map(&[("cleanup.policy", "")])));
}

/// ADM-09
#[test]
fn list_operations_are_for_lists_only() {
    for op in [Op::Append, Op::Subtract] {
        assert!(is_value(topic(&[], &[change(op, "retention.ms", "5")])));
        assert!(is_value(topic(&[], &[change(op, "nope", "5")])));
    }
    assert!(is_value(topic(&[], &[change(Op::Append, "cleanup.policy", "foo")])));
}

/// ADM-09
#[test]
fn null_and_double_settings_are_requests_that_make_no_sense() {
    for op in [Op::Set, Op::Append, Op::Subtract] {
        let null = Change { name: "cleanup.policy".into(), op, value: None };
        assert!(is_request(topic(&[], &[null])));
    }
    let twice = [change(Op::Set, "retention.ms", "1"), change(Op::Set, "retention.ms", "2")];
    assert!(is_request(topic(&[], &twice)));
}

#[test]
fn deleting_needs_neither_a_value_nor_a_setting_that_exists() {
    assert_eq!(topic(&[("retention.ms", "5")], &[change(Op::Delete, "retention.ms", "5")]), Ok(map(&[])));
    assert_eq!(topic(&[], &[delete("segment.ms"), delete("nope")]), Ok(map(&[])));
}

#[test]
fn one_bad_setting_refuses_all_of_them() {
    assert!(is_value(topic(&[], &[change(Op::Set, "segment.ms", "77"), change(Op::Set, "nope", "1")])));
    assert!(is_value(topic(&[], &[change(Op::Set, "retention.ms", "abc")])));
}

#[test]
fn a_value_longer_than_kafka_can_write_is_refused() {
    let replicas =
        |from: u32| (from..from + 3000).map(|index| format!("{index}:1")).collect::<Vec<_>>().join(",");
    let name = "leader.replication.throttled.replicas";
    let (one, more) = (replicas(10_000), replicas(20_000));
    assert!(topic(&[], &[change(Op::Set, name, &one)]).is_ok());
    assert!(is_value(topic(&[(name, &one)], &[change(Op::Append, name, &more)])));
    let items = vec!["0:1"; 10_000].join(",");
    assert!(is_value(topic(&[], &[change(Op::Set, "leader.replication.throttled.replicas", &items)])));
}

fn broker(target: Target, changes: &[Change]) -> Result<ConfigMap, Refusal> {
    apply_broker_ops(target, changes, &Layers::default())
}

#[test]
fn dynamic_broker_settings_change_for_the_cluster_and_for_the_broker() {
    for target in [Target::Cluster, Target::Broker] {
        let changed = broker(target, &[change(Op::Set, "log.cleaner.backoff.ms", "16000")]);
        assert_eq!(changed, Ok(map(&[("log.cleaner.backoff.ms", "16000")])));
    }
    let layers = Layers { cluster: map(&[("log.retention.ms", "5")]).into(), ..Layers::default() };
    assert_eq!(apply_broker_ops(Target::Cluster, &[delete("log.retention.ms")], &layers), Ok(map(&[])));
}

#[test]
fn what_is_set_at_start_cannot_change() {
    for name in ["node.id", "log.dirs", "advertised.listeners", "log.retention.hours", "broker.rack"] {
        assert!(is_request(broker(Target::Broker, &[change(Op::Set, name, "5")])), "{name}");
    }
    for name in ["listeners", "ssl.keystore.location", "listener.name.x.ssl.keystore.location"] {
        assert!(is_request(broker(Target::Broker, &[change(Op::Set, name, "a://:1")])), "{name}");
        assert!(is_request(broker(Target::Cluster, &[change(Op::Set, name, "a://:1")])), "{name}");
    }
}

#[test]
fn a_setting_that_cannot_change_is_named_as_kafka_names_it() {
    let refused = broker(Target::Broker, &[change(Op::Set, "node.id", "7")]);
    let Err(Refusal::Request(message)) = refused else { panic!("{refused:?}") };
    assert_eq!(message, "Cannot update these configs dynamically: [node.id]");
}

#[test]
fn bad_broker_values_are_refused_and_unknown_settings_kept() {
    assert!(is_request(broker(Target::Broker, &[change(Op::Set, "log.retention.ms", "abc")])));
    assert!(is_request(broker(Target::Broker, &[change(Op::Set, "log.retention.ms", "0")])));
    assert!(is_request(broker(Target::Cluster, &[change(Op::Set, "max.connections.per.ip.overrides", "x")])));
    assert!(is_value(broker(Target::Broker, &[change(Op::Append, "log.retention.ms", "1")])));
    assert_eq!(broker(Target::Broker, &[change(Op::Set, "nope.nope", "5")]), Ok(map(&[("nope.nope", "5")])));
}

#[test]
fn thread_counts_change_by_half_or_double_at_most() {
    let threads = |count| broker(Target::Broker, &[change(Op::Set, "num.io.threads", count)]);
    assert!(threads("16").is_ok() && threads("4").is_ok());
    assert!(["17", "100", "3", "0"].into_iter().all(|count| is_request(threads(count))));
}

fn group(changes: &[Change]) -> Result<ConfigMap, Refusal> {
    apply_group_ops(&ConfigMap::new(), changes, &Layers::default())
}

#[test]
fn group_settings_keep_within_the_brokers_limits() {
    assert!(group(&[change(Op::Set, "consumer.session.timeout.ms", "50000")]).is_ok());
    assert!(is_value(group(&[change(Op::Set, "consumer.session.timeout.ms", "5")])));
    assert!(is_value(group(&[change(Op::Set, "consumer.session.timeout.ms", "60001")])));
    assert!(is_value(group(&[change(Op::Set, "streams.num.standby.replicas", "3")])));
    assert!(is_value(group(&[change(Op::Set, "share.delivery.count.limit", "11")])));
    assert!(is_value(group(&[change(Op::Set, "nope", "5")])));
    assert!(is_value(group(&[change(Op::Set, "errors.deadletterqueue.topic.name", "__x")])));
    let both = [
        change(Op::Set, "consumer.heartbeat.interval.ms", "15000"),
        change(Op::Set, "consumer.session.timeout.ms", "45000"),
    ];
    assert!(group(&both).is_ok());
}

#[test]
fn a_refused_group_setting_tells_the_range() {
    let refused = |name, value| match group(&[change(Op::Set, name, value)]) {
        Err(Refusal::Value(message)) => message,
        other => panic!("{other:?}"),
    };
    let range = "consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.";
    assert_eq!(refused("consumer.session.timeout.ms", "1"), range);
    assert_eq!(refused("consumer.session.timeout.ms", "60001"), range);
    assert_eq!(
        refused("streams.num.standby.replicas", "3"),
        "streams.num.standby.replicas must be at most 2."
    );
}

#[test]
fn a_groups_session_outlasts_its_heartbeat() {
    let fixed = map(&[("group.consumer.min.session.timeout.ms", "1000")]).into();
    let layers = Layers { fixed, ..Layers::default() };
    let short = [change(Op::Set, "consumer.session.timeout.ms", "5000")];
    assert!(is_value(apply_group_ops(&ConfigMap::new(), &short, &layers)));
}

#[test]
fn metrics_subscriptions_are_checked() {
    let metrics = |name, value| apply_client_metrics_ops(&ConfigMap::new(), &[change(Op::Set, name, value)]);
    assert!(metrics("interval.ms", "5000").is_ok());
    assert!(is_request(metrics("interval.ms", "50")));
    assert!(is_request(metrics("nope", "50")));
    assert!(is_value(metrics("match", "nope=1")));
    assert!(metrics("match", "client_id=a.*, client_software_name=x").is_ok());
}
