//! The cluster and what it lacks: DescribeCluster, log folders, ACLs (`ADM-17`, `SEC-14`).

use integration_tests::{Daybook, batch::Batch};
use kafka_protocol::messages::{describe_log_dirs_request::DescribableLogDirTopic, *};

/// DescribeCluster and Metadata tell the same broker: kafka-ui looks one up in the other.
#[test]
fn describe_cluster_and_metadata_agree() {
    let daybook = Daybook::start(&[("broker.rack", "lab")]);
    let mut connection = daybook.connect();
    let metadata = connection.all_topics();
    let broker = &metadata.brokers[0];
    for version in 0..=1 {
        let cluster = connection.ask(version, &DescribeClusterRequest::default());
        assert_eq!(cluster.error_code, 0);
        assert_eq!(Some(&cluster.cluster_id), metadata.cluster_id.as_ref());
        assert_eq!(cluster.controller_id, metadata.controller_id);
        let own = &cluster.brokers[0];
        assert_eq!(
            (own.broker_id, &own.host, own.port, &own.rack),
            (broker.node_id, &broker.host, broker.port, &broker.rack)
        );
        assert_eq!(own.rack.as_deref(), Some("lab"));
    }
}

/// ADM-17: the folder and the size of each partition; kafka-ui calls this without condition.
#[test]
fn log_folders_are_told_with_sizes() {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 2, &[]);
    let batch = Batch::of(&["x"]);
    connection.produce("t", 0, &batch);
    for version in 1..=4 {
        let answer = connection.ask(version, &DescribeLogDirsRequest::default().with_topics(None));
        let folder = &answer.results[0];
        assert_eq!(folder.error_code, 0);
        assert_eq!(Some(folder.log_dir.as_str()), daybook.folder().to_str());
        let topic = folder.topics.iter().find(|topic| topic.name.as_str() == "t").expect("listed");
        let mut sizes: Vec<_> =
            topic.partitions.iter().map(|p| (p.partition_index, p.partition_size, p.is_future_key)).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [(0, batch.encode().len() as i64, false), (1, 0, false)]);
        if version >= 4 {
            assert!(folder.total_bytes > 0 && folder.usable_bytes > 0);
        }
    }
    let one = DescribableLogDirTopic::default()
        .with_topic(integration_tests::topic_name("t"))
        .with_partitions(vec![1, 9]);
    let answer = connection.ask(4, &DescribeLogDirsRequest::default().with_topics(Some(vec![one])));
    assert_eq!(answer.results[0].topics[0].partitions.len(), 1, "unknown partitions are left out");
}

/// SEC-14: without an authorizer the ACL API answers SECURITY_DISABLED, and kafka-ui hides its ACL pages.
#[test]
fn acls_are_answered_as_disabled() {
    let daybook = Daybook::start(&[]);
    let request = DescribeAclsRequest::default()
        .with_resource_type_filter(1)
        .with_pattern_type_filter(1)
        .with_operation(1)
        .with_permission_type(1);
    for version in 1..=3 {
        let answer = daybook.connect().ask(version, &request);
        assert_eq!((answer.error_code, answer.resources.len()), (54, 0), "version {version}");
        assert!(answer.error_message.is_some());
    }
}

/// A transactional id is refused with a clean error until transactions are there; nothing hangs.
#[test]
fn a_transactional_id_is_refused_cleanly() {
    let daybook = Daybook::start(&[]);
    let request = InitProducerIdRequest::default()
        .with_transactional_id(Some(TransactionalId(integration_tests::text("x"))))
        .with_transaction_timeout_ms(60_000)
        .with_producer_id(ProducerId(-1))
        .with_producer_epoch(-1);
    let answer = daybook.connect().ask(4, &request);
    assert!(answer.error_code != 0 && answer.error_code != -1, "error {}", answer.error_code);
    assert_eq!(answer.producer_id.0, -1);
}
