use super::*;
use crate::config::ConfigMap;

fn read(pairs: &[(&str, &str)]) -> Result<Vec<ListenerConfig>, String> {
    let fixed: ConfigMap = pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    from_layers(&Layers { fixed: fixed.into(), ..Layers::default() })
}

fn one(pairs: &[(&str, &str)]) -> ListenerConfig {
    read(pairs).expect("fine").remove(0)
}

fn addresses(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().expect("an address")).collect()
}

#[test]
fn without_settings_only_this_machine_is_listened_to() {
    let listener = one(&[]);
    assert_eq!((listener.name.as_str(), listener.port), ("PLAINTEXT", 9092));
    assert_eq!(listener.hosts, addresses(&["127.0.0.1", "::1"]));
    assert_eq!(listener.advertised_host.as_deref(), Some("localhost"));
}

/// META-02, ECO-02: the compose file that everyone copies: two client listeners, one for the controller.
#[test]
fn container_and_host_listeners_have_their_own_addresses() {
    let listeners = read(&[
        ("listeners", "PLAINTEXT://:9092,CONTROLLER://:9093,PLAINTEXT_HOST://0.0.0.0:19092"),
        ("advertised.listeners", "PLAINTEXT://broker:9092,PLAINTEXT_HOST://localhost:29092"),
        (
            "listener.security.protocol.map",
            "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PLAINTEXT_HOST:PLAINTEXT",
        ),
        ("controller.listener.names", "CONTROLLER"),
        ("inter.broker.listener.name", "PLAINTEXT"),
    ])
    .expect("fine");
    let told: Vec<_> = listeners
        .iter()
        .map(|one| (one.name.as_str(), one.advertised_host.as_deref().unwrap(), one.advertised_port))
        .collect();
    let expected = [("PLAINTEXT", "broker", Some(9092)), ("PLAINTEXT_HOST", "localhost", Some(29092))];
    assert_eq!(told, expected);
    assert_eq!(listeners[0].hosts, addresses(&["0.0.0.0", "::"]));
    assert_eq!(listeners[1].hosts, addresses(&["0.0.0.0"]));
}

#[test]
fn ipv6_addresses_stand_in_brackets_and_may_share_a_port_with_ipv4() {
    let map = ("listener.security.protocol.map", "A:PLAINTEXT,B:PLAINTEXT");
    let listeners = read(&[("listeners", "A://127.0.0.1:9092,B://[::1]:9092"), map]).expect("fine");
    assert_eq!(listeners[1].hosts, addresses(&["::1"]));
    assert_eq!(listeners[1].advertised_host.as_deref(), Some("::1"));
    assert!(read(&[("listeners", "A://127.0.0.1:9092,B://127.0.0.2:9092"), map]).is_err());
}

#[test]
fn every_ipv6_interface_takes_ipv4_too_unless_that_half_of_the_port_is_taken() {
    let advertised = ("advertised.listeners", "A://h:1,B://h:1");
    let map = ("listener.security.protocol.map", "A:PLAINTEXT,B:PLAINTEXT");
    assert_eq!(one(&[("listeners", "A://[::]:1"), map, ("advertised.listeners", "A://h:1")]).hosts.len(), 2);
    let both = read(&[("listeners", "A://[::]:1,B://0.0.0.0:1"), map, advertised]).expect("fine");
    assert_eq!(both[0].hosts, addresses(&["::"]));
}

#[test]
fn any_free_port_is_not_advertised_before_it_is_known() {
    let listener = one(&[("listeners", "PLAINTEXT://127.0.0.1:0")]);
    assert_eq!((listener.port, listener.advertised_port), (0, None));
}

#[test]
fn an_empty_host_is_every_interface_and_advertised_by_the_machines_name() {
    let listener = one(&[("listeners", "PLAINTEXT://:9092")]);
    assert_eq!(listener.hosts, addresses(&["0.0.0.0", "::"]));
    assert_eq!(listener.advertised_host, Some(machine_name()));
}

/// META-02: clients are never told 0.0.0.0 or port 0.
#[test]
fn what_clients_could_not_use_stops_the_start() {
    let refused = [
        vec![("listeners", "PLAINTEXT://0.0.0.0:9092")],
        vec![("listeners", "PLAINTEXT://[::]:9092")],
        vec![("listeners", "PLAINTEXT://:9092"), ("advertised.listeners", "PLAINTEXT://0.0.0.0:9092")],
        vec![("advertised.listeners", "PLAINTEXT://localhost:0")],
        vec![("advertised.listeners", "OTHER://localhost:9092")],
        vec![("advertised.listeners", "PLAINTEXT://a:1,PLAINTEXT://b:2")],
    ];
    for pairs in refused {
        assert!(read(&pairs).is_err(), "{pairs:?}");
    }
}

#[test]
fn malformed_and_double_listeners_are_refused() {
    let texts = [
        "9092",
        "PLAINTEXT://localhost",
        "PLAINTEXT://localhost:65536",
        "PLAINTEXT://local host:1",
        "://localhost:1",
        "PLAINTEXT://[::1:1",
        "PLAINTEXT://localhost:1,PLAINTEXT://localhost:2",
        "PLAINTEXT://localhost:1,",
        "UNMAPPED://localhost:1",
        "",
    ];
    for text in texts {
        assert!(read(&[("listeners", text)]).is_err(), "{text:?}");
    }
}

#[test]
fn listeners_with_tls_or_sasl_stop_the_start() {
    for text in ["SSL://localhost:1", "SASL_SSL://localhost:1", "SASL_PLAINTEXT://localhost:1"] {
        let message = read(&[("listeners", text)]).expect_err("no such protection");
        assert!(message.contains("Daybook has no TLS or SASL yet"), "{message}");
    }
}

#[test]
fn a_controller_alone_has_nothing_for_clients() {
    let pairs = [("listeners", "CONTROLLER://:9093"), ("controller.listener.names", "CONTROLLER")];
    assert!(read(&pairs).is_err());
}
