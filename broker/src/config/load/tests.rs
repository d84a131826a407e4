use super::*;

fn strings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

fn from(environment: &[(&str, &str)], overrides: &[(&str, &str)]) -> Result<Loaded, String> {
    load(&Sources { environment: strings(environment), overrides: strings(overrides), file: None })
}

#[test]
fn the_command_line_beats_the_environment_and_that_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("server.properties");
    std::fs::write(&file, "num.partitions=2\nlog.roll.hours=2\nlog.retention.hours = 2\n").expect("written");
    let loaded = load(&Sources {
        environment: strings(&[("KAFKA_NUM_PARTITIONS", "3"), ("KAFKA_LOG_ROLL_HOURS", "3")]),
        overrides: strings(&[("num.partitions", "4")]),
        file: Some(file),
    })
    .expect("fine");
    let fixed: Vec<_> =
        loaded.layers.fixed.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(fixed, [("log.retention.hours", "2"), ("log.roll.hours", "3"), ("num.partitions", "4")]);
    assert_eq!(loaded.config.num_partitions, 4);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let sources = Sources { file: Some("/no/such.properties".into()), ..Sources::default() };
    assert!(load(&sources).expect_err("missing").starts_with("The settings file /no/such.properties cannot"));
}

/// ECO-02: a stock single-node KRaft compose file starts, without a warning.
#[test]
fn a_stock_compose_file_is_taken_as_it_is() {
    let loaded = from(
        &[
            ("CLUSTER_ID", "4L6g3nShT-eMCtK--X86sw"),
            ("KAFKA_NODE_ID", "7"),
            ("KAFKA_PROCESS_ROLES", "broker,controller"),
            ("KAFKA_LISTENERS", "PLAINTEXT://:9092,CONTROLLER://:9093,MY_HOST://:19092"),
            ("KAFKA_ADVERTISED_LISTENERS", "PLAINTEXT://broker:9092,MY_HOST://localhost:19092"),
            ("KAFKA_CONTROLLER_LISTENER_NAMES", "CONTROLLER"),
            (
                "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP",
                "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,MY_HOST:PLAINTEXT",
            ),
            ("KAFKA_CONTROLLER_QUORUM_VOTERS", "7@localhost:9093"),
            ("KAFKA_INTER_BROKER_LISTENER_NAME", "PLAINTEXT"),
            ("KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR", "1"),
            ("KAFKA_TRANSACTION_STATE_LOG_MIN_ISR", "1"),
            ("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "0"),
            ("KAFKA_LOG_DIRS", "/var/lib/kafka/data"),
            ("KAFKA_HEAP_OPTS", "-Xmx1g"),
            ("KAFKA_LOG4J_LOGGERS", "kafka=INFO"),
            ("KAFKA_BROKER_RACK", ""),
            ("HOME", "/root"),
        ],
        &[],
    )
    .expect("starts");
    assert_eq!(loaded.warnings, Vec::<String>::new());
    assert_eq!((loaded.config.node_id, loaded.config.listeners.len()), (7, 2));
    assert_eq!(loaded.config.cluster_id.as_deref(), Some("4L6g3nShT-eMCtK--X86sw"));
    assert_eq!(loaded.config.rack, None);
}

/// ECO-02: an unknown setting warns and does not stop the start.
#[test]
fn an_unknown_setting_warns_with_the_nearest_name() {
    let environment =
        [("KAFKA_NUM_PARTITION", "3"), ("KAFKA_ZOOKEEPER_CONNECT", "zk:2181"), ("KAFKA_FOO", "1")];
    let loaded = from(&environment, &[]).expect("starts");
    let expected = [
        "Unknown setting foo has no effect.",
        "Unknown setting num.partition has no effect; did you mean num.partitions?",
        "zookeeper.connect has no effect: Daybook needs no ZooKeeper.",
    ];
    assert_eq!(loaded.warnings, expected);
}

#[test]
fn a_java_class_warns_that_it_cannot_be_loaded() {
    let loaded = from(&[], &[("create.topic.policy.class.name", "com.example.Policy")]).expect("starts");
    assert_eq!(loaded.warnings.len(), 1);
    assert!(loaded.warnings[0].contains("com.example.Policy"));
}

#[test]
fn broker_id_and_node_id_are_one_setting() {
    let loaded = from(&[("KAFKA_BROKER_ID", "5")], &[]).expect("starts");
    assert_eq!(loaded.config.node_id, 5);
    assert!(from(&[("KAFKA_BROKER_ID", "5"), ("KAFKA_NODE_ID", "6")], &[]).is_err());
}

#[test]
fn a_bad_value_stops_the_start_with_one_sentence() {
    let message = from(&[("KAFKA_NUM_PARTITIONS", "many")], &[]).expect_err("refused");
    assert_eq!(
        message,
        "Invalid value many for configuration num.partitions: Value must be a whole number from -2147483648 to 2147483647."
    );
}
