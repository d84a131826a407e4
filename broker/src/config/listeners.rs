//! `listeners` and what goes with it: which addresses to bind, under which name, and what clients are told.
//!
//! Only reads text and resolves names; binding is the network's affair. Rules: KIP-103, KIP-291, KIP-797.

use super::layers::Layers;
use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs},
};

/// One address to listen on, and what clients are told about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerConfig {
    /// In capitals, as Kafka keeps it.
    pub name: String,
    /// Every address to bind; `localhost` is 127.0.0.1 and ::1, every interface is 0.0.0.0 and ::.
    /// IPv6 sockets are to take IPv6 only, and of several hosts an IPv6 one may be missing on the machine.
    pub hosts: Vec<IpAddr>,
    /// 0: any free port.
    pub port: u16,
    /// `None`: the address that was bound.
    pub advertised_host: Option<String>,
    /// `None`: the port that was bound.
    pub advertised_port: Option<u16>,
}

/// The listeners for clients. Controller listeners are skipped. The error is one sentence.
pub(super) fn from_layers(layers: &Layers) -> Result<Vec<ListenerConfig>, String> {
    let protocols = Protocols::from_layers(layers)?;
    let endpoints = read_endpoints("listeners", &layers.list("listeners"))?;
    check_distinct(&endpoints)?;
    let clients: Vec<_> =
        endpoints.iter().filter(|endpoint| !protocols.is_controller(&endpoint.name)).collect();
    if clients.is_empty() {
        return Err(
            "listeners has no address for clients: add one, such as PLAINTEXT://localhost:9092.".into()
        );
    }
    let advertised = advertised_endpoints(layers, &protocols, &endpoints)?;
    check_inter_broker_name(layers, &clients)?;
    let shared_port = |port: u16| clients.iter().filter(|endpoint| endpoint.port == port).count() > 1;
    clients
        .iter()
        .map(|endpoint| {
            protocols.check_is_plaintext(&endpoint.name)?;
            let advertised = advertised.get(&endpoint.name).unwrap_or(endpoint);
            Ok(ListenerConfig {
                name: endpoint.name.clone(),
                hosts: addresses_to_bind(endpoint, shared_port(endpoint.port))?,
                port: endpoint.port,
                advertised_host: Some(advertised.host_to_advertise()?),
                advertised_port: Some(advertised.port).filter(|port| *port != 0),
            })
        })
        .collect()
}

/// All addresses of a host: an address itself, or what its name resolves to.
pub(super) fn resolve(host: &str) -> Result<Vec<IpAddr>, String> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    // Not left to the resolver: both must be there whatever /etc/hosts says.
    if host.eq_ignore_ascii_case("localhost") {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    let found = (host, 0).to_socket_addrs().map_err(|error| format!("{host} cannot be resolved: {error}"))?;
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in found.map(|found| found.ip()) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    Ok(addresses)
}

/// `NAME://host:port` as it was written.
#[derive(Debug)]
struct Endpoint {
    name: String,
    /// Without brackets; empty for every interface.
    host: String,
    port: u16,
}

impl Endpoint {
    fn read(setting: &str, text: &str) -> Result<Endpoint, String> {
        let refuse = || format!("Invalid value '{text}' for {setting}: it must be NAME://host:port.");
        let (name, address) = text.split_once("://").ok_or_else(refuse)?;
        let (host, port) = address.rsplit_once(':').ok_or_else(refuse)?;
        let host = match host.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']').ok_or_else(refuse)?,
            None => host,
        };
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:%".contains(&byte);
        if name.is_empty() || !host.bytes().all(is_host) {
            return Err(refuse());
        }
        let port = port.parse().map_err(|_| refuse())?;
        Ok(Endpoint { name: name.to_uppercase(), host: host.to_owned(), port })
    }

    fn address(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// An empty host is this machine's name, as in Kafka.
    fn host_to_advertise(&self) -> Result<String, String> {
        if self.address().is_some_and(|address| address.is_unspecified()) {
            return Err(format!(
                "Listener {} would tell clients to connect to {}, which is no address: set advertised.listeners.",
                self.name, self.host
            ));
        }
        Ok(if self.host.is_empty() { machine_name() } else { self.host.clone() })
    }
}

fn read_endpoints(setting: &str, items: &[String]) -> Result<Vec<Endpoint>, String> {
    items.iter().map(|item| Endpoint::read(setting, item)).collect()
}

/// Names differ, and ports too, except that an IPv4 and an IPv6 address may share one.
fn check_distinct(endpoints: &[Endpoint]) -> Result<(), String> {
    for (index, one) in endpoints.iter().enumerate() {
        for other in &endpoints[..index] {
            if one.name == other.name {
                return Err(format!("listeners has two listeners with the name {}.", one.name));
            }
            if one.port == other.port && one.port != 0 && !are_of_both_families(one, other) {
                return Err(format!(
                    "listeners has two listeners on port {}, {} and {}.",
                    one.port, other.name, one.name
                ));
            }
        }
    }
    Ok(())
}

fn are_of_both_families(one: &Endpoint, other: &Endpoint) -> bool {
    matches!(
        (one.address(), other.address()),
        (Some(IpAddr::V4(_)), Some(IpAddr::V6(_))) | (Some(IpAddr::V6(_)), Some(IpAddr::V4(_)))
    )
}

/// What `advertised.listeners` says, by listener name.
fn advertised_endpoints(
    layers: &Layers,
    protocols: &Protocols,
    endpoints: &[Endpoint],
) -> Result<BTreeMap<String, Endpoint>, String> {
    let mut advertised = BTreeMap::new();
    for endpoint in read_endpoints("advertised.listeners", &layers.list("advertised.listeners"))? {
        if protocols.is_controller(&endpoint.name) {
            continue;
        }
        if !endpoints.iter().any(|bound| bound.name == endpoint.name) {
            return Err(format!(
                "advertised.listeners names {}, which listeners does not have.",
                endpoint.name
            ));
        }
        if endpoint.port == 0 {
            return Err(format!("advertised.listeners gives {} port 0, which is no port.", endpoint.name));
        }
        if let Some(twice) = advertised.insert(endpoint.name.clone(), endpoint) {
            return Err(format!("advertised.listeners names {} twice.", twice.name));
        }
    }
    Ok(advertised)
}

fn check_inter_broker_name(layers: &Layers, clients: &[&Endpoint]) -> Result<(), String> {
    match layers.text("inter.broker.listener.name") {
        Some(name) if !clients.iter().any(|endpoint| endpoint.name.eq_ignore_ascii_case(&name)) => {
            Err(format!("inter.broker.listener.name is {name}, which listeners does not have."))
        }
        _ => Ok(()),
    }
}

/// `::` takes IPv4 too, as it does for Kafka, unless another listener has that half of the port.
fn addresses_to_bind(endpoint: &Endpoint, shares_port: bool) -> Result<Vec<IpAddr>, String> {
    let everywhere = vec![Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()];
    match endpoint.address() {
        Some(IpAddr::V6(address)) if address.is_unspecified() && !shares_port => Ok(everywhere),
        None if endpoint.host.is_empty() => Ok(everywhere),
        _ => resolve(&endpoint.host).map_err(|reason| format!("Listener {}: {reason}.", endpoint.name)),
    }
}

fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Which protocol each listener name speaks, and which names are the controller's.
struct Protocols {
    by_name: BTreeMap<String, String>,
    controllers: Vec<String>,
}

impl Protocols {
    fn from_layers(layers: &Layers) -> Result<Protocols, String> {
        let text = layers.text("listener.security.protocol.map").unwrap_or_default();
        let mut by_name = BTreeMap::new();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, protocol) = item.rsplit_once(':').ok_or_else(|| {
                format!("Invalid value '{item}' for listener.security.protocol.map: it must be a list of NAME:PROTOCOL.")
            })?;
            by_name.insert(name.trim().to_uppercase(), protocol.trim().to_uppercase());
        }
        let controllers =
            layers.list("controller.listener.names").iter().map(|name| name.to_uppercase()).collect();
        Ok(Protocols { by_name, controllers })
    }

    fn is_controller(&self, name: &str) -> bool {
        self.controllers.iter().any(|controller| controller == name)
    }

    fn check_is_plaintext(&self, name: &str) -> Result<(), String> {
        match self.by_name.get(name).map(String::as_str) {
            Some("PLAINTEXT") => Ok(()),
            Some(protocol @ ("SSL" | "SASL_PLAINTEXT" | "SASL_SSL")) => Err(format!(
                "Listener {name} asks for {protocol}, but Daybook has no TLS or SASL yet: use PLAINTEXT or leave the listener out."
            )),
            Some(other) => Err(format!(
                "Invalid value '{other}' for {name} in listener.security.protocol.map: it must be one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL."
            )),
            None => Err(format!("listener.security.protocol.map has no protocol for the listener {name}.")),
        }
    }
}

#[cfg(test)]
mod tests;
