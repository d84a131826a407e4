use super::*;

fn config(fixed: &[(&str, &str)]) -> Result<BrokerConfig, String> {
    let fixed: super::super::ConfigMap =
        fixed.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    BrokerConfig::from_layers(&Layers { fixed: fixed.into(), ..Layers::default() })
}

#[test]
fn the_defaults_are_kafkas_but_for_one_node_on_its_own_machine() {
    let config = config(&[]).expect("defaults are fine");
    assert_eq!((config.node_id, config.num_partitions, config.offsets_topic_num_partitions), (1, 1, 50));
    assert_eq!(config.group_initial_rebalance_delay_ms, 0);
    assert_eq!(config.log_dir, PathBuf::from("./daybook-data"));
    assert_eq!(config.listeners[0].hosts, ["127.0.0.1".parse::<IpAddr>().unwrap(), "::1".parse().unwrap()]);
    assert_eq!(config.queued_max_request_bytes, -1);
    assert_eq!(config.rack, None);
}

#[test]
fn log_dirs_wins_over_log_dir_and_must_be_one_folder() {
    let folder = |fixed: &[(&str, &str)]| config(fixed).map(|config| config.log_dir);
    assert_eq!(folder(&[("log.dir", "/a")]), Ok("/a".into()));
    assert_eq!(folder(&[("log.dir", "/a"), ("log.dirs", "/b")]), Ok("/b".into()));
    let message = folder(&[("log.dirs", "/a,/b")]).expect_err("two folders");
    assert_eq!(message, "log.dirs names 2 folders; Daybook keeps its data in one folder for now.");
}

#[test]
fn a_bad_value_is_one_sentence_with_name_value_and_what_is_allowed() {
    let message = config(&[("num.partitions", "0")]).expect_err("refused");
    assert_eq!(message, "Invalid value 0 for configuration num.partitions: Value must be at least 1.");
    assert!(config(&[("log.retention.hours", "0")]).is_err());
    assert!(config(&[("log.retention.ms", "-1")]).is_ok());
}

#[test]
fn protection_that_is_asked_for_and_missing_stops_the_start() {
    assert!(config(&[("authorizer.class.name", "org.apache.kafka.X")]).is_err());
    assert!(config(&[("authorizer.class.name", "")]).is_ok());
    let message = config(&[("delegation.token.secret.key", "hush")]).expect_err("refused");
    assert!(!message.contains("hush"), "secrets stay out of messages: {message}");
}

#[test]
fn settings_for_tls_and_sasl_are_harmless_while_no_listener_uses_them() {
    let fixed = [("sasl.enabled.mechanisms", "PLAIN"), ("ssl.keystore.location", "/keys")];
    assert!(config(&fixed).is_ok());
}

#[test]
fn connection_limits_by_address_are_read() {
    let config = config(&[("max.connections.per.ip.overrides", "127.0.0.1:5, ::1:6")]).expect("fine");
    assert_eq!(config.max_connections_per_ip_overrides[&"127.0.0.1".parse::<IpAddr>().unwrap()], 5);
    assert_eq!(config.max_connections_per_ip_overrides[&"::1".parse::<IpAddr>().unwrap()], 6);
    assert!(parse_connection_overrides("127.0.0.1").is_err());
    assert!(parse_connection_overrides("127.0.0.1:-1").is_err());
}
