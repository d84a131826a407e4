//! Settings from environment variables, by the mapping of Kafka's container images.
//!
//! `KAFKA_LOG_RETENTION_MS` is `log.retention.ms`; `___` stands for `-`, `__` for `_`, `_` for `.`.

use super::ConfigMap;

/// Variables that only the images' scripts and the Java runtime read.
const IMAGE_ONLY: &[&str] = &[
    "KAFKA_HOME",
    "KAFKA_OPTS",
    "KAFKA_HEAP_OPTS",
    "KAFKA_JVM_PERFORMANCE_OPTS",
    "KAFKA_GC_LOG_OPTS",
    "KAFKA_VERSION",
    "KAFKA_PORT",
    "KAFKA_DEBUG",
];

/// Beginnings of such variables.
const IMAGE_ONLY_PREFIXES: &[&str] =
    &["KAFKA_LOG4J", "KAFKA_TOOLS_LOG4J", "KAFKA_JMX_", "KAFKA_DEBUG_", "KAFKA_GC_"];

/// The settings among the variables.
pub(super) fn settings(variables: impl IntoIterator<Item = (String, String)>) -> ConfigMap {
    variables.into_iter().filter_map(|(name, value)| Some((setting_name(&name)?, value))).collect()
}

fn setting_name(variable: &str) -> Option<String> {
    if variable == "CLUSTER_ID" {
        return Some("cluster.id".into());
    }
    let is_image_only = IMAGE_ONLY.contains(&variable)
        || IMAGE_ONLY_PREFIXES.iter().any(|prefix| variable.starts_with(prefix))
        || is_kubernetes_link(variable);
    if is_image_only {
        return None;
    }
    let name = variable.strip_prefix("KAFKA_").filter(|name| !name.is_empty())?;
    // Bitnami's image has its own beginning for the same mapping.
    let name = name.strip_prefix("CFG_").unwrap_or(name);
    // The longest run first: three underscores are one character, not two.
    let name = name.replace("___", "-").replace("__", "\u{0}").replace('_', ".").replace('\u{0}', "_");
    Some(name.to_lowercase())
}

/// Kubernetes sets `KAFKA_SERVICE_HOST`, `KAFKA_PORT_9092_TCP` and more in every pod beside a service named kafka.
fn is_kubernetes_link(variable: &str) -> bool {
    variable.starts_with("KAFKA_SERVICE_") || variable.starts_with("KAFKA_PORT_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_map_as_in_kafkas_image() {
        let cases = [
            ("KAFKA_LOG_RETENTION_MS", "log.retention.ms"),
            ("KAFKA_LISTENER_NAME_MY__NET_SSL_KEYSTORE_TYPE", "listener.name.my_net.ssl.keystore.type"),
            (
                "KAFKA_LISTENER_NAME_A_SCRAM___SHA___256_SASL_JAAS_CONFIG",
                "listener.name.a.scram-sha-256.sasl.jaas.config",
            ),
            ("KAFKA_CFG_LISTENERS", "listeners"),
            ("CLUSTER_ID", "cluster.id"),
        ];
        for (variable, expected) in cases {
            assert_eq!(setting_name(variable).as_deref(), Some(expected));
        }
    }

    #[test]
    fn variables_of_the_image_and_of_kubernetes_are_no_settings() {
        for variable in [
            "KAFKA_HEAP_OPTS",
            "KAFKA_LOG4J_ROOT_LOGLEVEL",
            "KAFKA_JMX_PORT",
            "KAFKA_SERVICE_HOST",
            "KAFKA_PORT_9092_TCP_ADDR",
            "KAFKA_PORT",
            "KAFKA_",
            "PATH",
        ] {
            assert_eq!(setting_name(variable), None, "{variable}");
        }
    }
}
