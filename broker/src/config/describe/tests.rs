use super::*;

fn map(pairs: &[(&str, &str)]) -> ConfigMap {
    pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

fn layers(broker: &[(&str, &str)], cluster: &[(&str, &str)], fixed: &[(&str, &str)]) -> Layers {
    Layers { broker: map(broker).into(), cluster: map(cluster).into(), fixed: map(fixed).into() }
}

fn find(entries: Vec<Entry>, name: &str) -> Entry {
    entries.into_iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("no entry {name}"))
}

/// `name=value@source` of each synonym.
fn places(entry: &Entry) -> Vec<String> {
    let show = |place: &SynonymEntry| {
        format!("{}={}@{}", place.name, place.value.as_deref().unwrap_or("null"), place.source as i8)
    };
    entry.synonyms.iter().map(show).collect()
}

/// What a Kafka 4.4 broker says about a topic: name, value, type, and the broker setting behind it where that has
/// a default of its own.
const KAFKAS_TOPIC: &str = "\
cleanup.policy delete 7 log.cleanup.policy
compression.gzip.level -1 3 compression.gzip.level
compression.lz4.level 9 3 compression.lz4.level
compression.type producer 2 compression.type
compression.zstd.level 3 3 compression.zstd.level
delete.retention.ms 86400000 5 log.cleaner.delete.retention.ms
errors.deadletterqueue.group.enable false 1
file.delete.delay.ms 60000 5 log.segment.delete.delay.ms
flush.messages 9223372036854775807 5 log.flush.interval.messages
flush.ms 9223372036854775807 5
follower.replication.throttled.replicas  7
index.interval.bytes 4096 3 log.index.interval.bytes
leader.replication.throttled.replicas  7
local.retention.bytes -2 5 log.local.retention.bytes
local.retention.ms -2 5 log.local.retention.ms
max.compaction.lag.ms 9223372036854775807 5 log.cleaner.max.compaction.lag.ms
max.decompressed.message.bytes 2147483639 3 max.decompressed.message.bytes
max.message.bytes 1048588 3 message.max.bytes
message.timestamp.after.max.ms 3600000 5 log.message.timestamp.after.max.ms
message.timestamp.before.max.ms 9223372036854775807 5 log.message.timestamp.before.max.ms
message.timestamp.type CreateTime 2 log.message.timestamp.type
min.cleanable.dirty.ratio 0.5 6 log.cleaner.min.cleanable.ratio
min.compaction.lag.ms 0 5 log.cleaner.min.compaction.lag.ms
min.insync.replicas 1 3 min.insync.replicas
preallocate false 1 log.preallocate
remote.copy.lag.bytes -1 5 log.remote.copy.lag.bytes
remote.copy.lag.ms 0 5 log.remote.copy.lag.ms
remote.log.copy.disable false 1
remote.log.delete.on.disable false 1
remote.storage.enable false 1
retention.bytes -1 5 log.retention.bytes
retention.ms 604800000 5
segment.bytes 1073741824 3 log.segment.bytes
segment.index.bytes 10485760 3 log.index.size.max.bytes
segment.jitter.ms 0 5
segment.ms 604800000 5
unclean.leader.election.enable false 1 unclean.leader.election.enable";

#[test]
fn a_topic_without_overrides_is_described_as_by_kafka() {
    let entries = describe_topic(&ConfigMap::new(), &Layers::default());
    let lines: Vec<_> = entries
        .iter()
        .map(|entry| {
            let (value, kind) = (entry.value.as_deref().unwrap_or("null"), entry.kind.map_or(0, Type::code));
            let synonym = entry.synonyms.first().map(|place| format!(" {}", place.name)).unwrap_or_default();
            format!("{} {value} {kind}{synonym}", entry.name)
        })
        .collect();
    assert_eq!(lines, KAFKAS_TOPIC.lines().collect::<Vec<_>>());
    assert!(entries.iter().all(|entry| entry.source == Source::Default && !entry.read_only));
    assert!(entries.iter().all(|entry| !entry.sensitive && entry.documentation.is_some()));
}

/// ADM-10: a value that was set is the topic's own even when it is the default.
#[test]
fn an_override_is_the_topics_even_when_it_equals_the_default() {
    let entry =
        find(describe_topic(&map(&[("retention.ms", " 604800000 ")]), &Layers::default()), "retention.ms");
    assert_eq!((entry.value.as_deref(), entry.source), (Some("604800000"), Source::Topic));
    assert_eq!(places(&entry), ["retention.ms=604800000@1"]);
}

#[test]
fn a_topics_places_run_from_its_own_value_through_every_layer() {
    let layers = layers(
        &[("log.segment.bytes", "2000000")],
        &[("log.segment.bytes", "3000000")],
        &[("log.segment.bytes", "4000000")],
    );
    let entry = find(describe_topic(&map(&[("segment.bytes", "1500000")]), &layers), "segment.bytes");
    let expected = [
        "segment.bytes=1500000@1",
        "log.segment.bytes=2000000@2",
        "log.segment.bytes=3000000@3",
        "log.segment.bytes=4000000@4",
        "log.segment.bytes=1073741824@5",
    ];
    assert_eq!(places(&entry), expected);
    let entry = find(describe_topic(&ConfigMap::new(), &layers), "segment.bytes");
    assert_eq!((entry.value.as_deref(), entry.source), (Some("2000000"), Source::Broker));
}

#[test]
fn hours_alone_are_in_force_but_no_place() {
    let hours = layers(&[], &[], &[("log.retention.hours", "1")]);
    let entry = find(describe_topic(&ConfigMap::new(), &hours), "retention.ms");
    assert_eq!((entry.value.as_deref(), entry.source), (Some("3600000"), Source::Default));
    assert_eq!(places(&entry), Vec::<String>::new());
    let both = layers(&[], &[("log.retention.ms", "5")], &[("log.retention.hours", "1")]);
    let entry = find(describe_topic(&ConfigMap::new(), &both), "retention.ms");
    assert_eq!((entry.value.as_deref(), entry.source), (Some("5"), Source::ClusterDefault));
    let expected = ["log.retention.ms=5@3", "log.retention.hours=1@4", "log.retention.hours=168@5"];
    assert_eq!(places(&entry), expected);
}

#[test]
fn the_broker_lists_all_of_its_settings() {
    let entries = describe_broker(&Layers::default());
    assert_eq!(entries.len(), 350);
    let entry = find(entries, "log.cleaner.io.max.bytes.per.second");
    assert_eq!(entry.value.as_deref(), Some("1.7976931348623157E308"));
    assert_eq!(places(&entry), ["log.cleaner.io.max.bytes.per.second=1.7976931348623157E308@5"]);
}

#[test]
fn what_can_change_while_the_broker_runs_is_not_read_only() {
    let read_only = |name| find(describe_broker(&Layers::default()), name).read_only;
    assert!(read_only("node.id") && read_only("log.retention.hours") && read_only("log.dirs"));
    assert!(!read_only("log.retention.ms") && !read_only("listeners") && !read_only("ssl.protocol"));
}

#[test]
fn a_setting_without_value_and_default_is_null_without_places() {
    let entry = find(describe_broker(&Layers::default()), "broker.rack");
    assert_eq!((entry.value, entry.source, entry.synonyms), (None, Source::Default, vec![]));
}

#[test]
fn secrets_and_unknown_settings_are_hidden_in_their_places_too() {
    let fixed = [("ssl.keystore.password", "hush"), ("who.knows", "hush")];
    for (name, _) in fixed {
        let entry = find(describe_broker(&layers(&[], &[], &fixed)), name);
        assert!(entry.sensitive && entry.value.is_none(), "{name}");
        assert_eq!(places(&entry), [format!("{name}=null@4")]);
    }
}

#[test]
fn units_of_one_time_are_each_others_places_on_the_broker() {
    let entries = describe_broker(&layers(&[], &[], &[("log.roll.ms", "5"), ("log.roll.hours", "2")]));
    assert_eq!(
        places(&find(entries.clone(), "log.roll.ms")),
        ["log.roll.ms=5@4", "log.roll.hours=2@4", "log.roll.hours=168@5"]
    );
    assert_eq!(places(&find(entries, "log.roll.hours")), ["log.roll.hours=2@4", "log.roll.hours=168@5"]);
}

#[test]
fn the_cluster_lists_only_what_was_set_for_it() {
    assert_eq!(describe_cluster_defaults(&Layers::default()), vec![]);
    let layers =
        layers(&[("log.retention.ms", "1")], &[("log.retention.ms", "2")], &[("num.partitions", "3")]);
    let entries = describe_cluster_defaults(&layers);
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].value.as_deref(), entries[0].source), (Some("2"), Source::ClusterDefault));
    assert_eq!(places(&entries[0]), ["log.retention.ms=2@3"]);
}

#[test]
fn a_group_that_does_not_exist_has_the_brokers_values() {
    let entries = describe_group(&ConfigMap::new(), &Layers::default());
    assert_eq!(entries.len(), 21);
    assert_eq!(
        places(&find(entries.clone(), "consumer.session.timeout.ms")),
        ["group.consumer.session.timeout.ms=45000@5"]
    );
    assert_eq!(
        places(&find(entries.clone(), "share.auto.offset.reset")),
        ["share.auto.offset.reset=latest@5"]
    );
    let assignor = find(entries, "streams.assignor.name");
    assert_eq!(
        (assignor.value.as_deref(), places(&assignor)),
        (Some("sticky"), vec!["group.streams.assignors=sticky@5".to_owned()])
    );
}

#[test]
fn a_groups_own_value_has_its_own_source() {
    let overrides = map(&[("consumer.session.timeout.ms", "50000")]);
    let entry = find(describe_group(&overrides, &Layers::default()), "consumer.session.timeout.ms");
    assert_eq!((entry.value.as_deref(), entry.source as i8), (Some("50000"), 8));
}

#[test]
fn a_metrics_subscription_has_three_settings() {
    let entries = describe_client_metrics(&map(&[("interval.ms", "100")]));
    let shown: Vec<_> = entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry.value.as_deref().unwrap(), entry.source as i8))
        .collect();
    assert_eq!(shown, [("interval.ms", "100", 7), ("match", "", 5), ("metrics", "", 5)]);
}
