//! `docs/configuration.md`, written from the tables so that it cannot tell anything else than the broker does.

use super::{
    setting::{Check, Scope, Setting},
    table::{self, ScopedSetting},
};
use std::fmt::Write;

const INTRODUCTION: &str = "\
# Configuration

<!-- Written from the tables in broker/src/config/table: change those, then run
     UPDATE_DOCS=1 cargo test -p broker configuration_page -->

Daybook's settings have the names, units and defaults of Apache Kafka 4.4, so that a `server.properties` or a compose
file can be used as it is. A setting without effect in Daybook says so below.

## Where settings come from

Strongest first:

1. The command line: `daybook [start] [FILE] --override key=value …`
2. Environment variables, by the mapping of Kafka's container image: `KAFKA_LOG_RETENTION_MS` is `log.retention.ms`,
   `__` stands for `_` and `___` for `-`. `KAFKA_CFG_…` works too, and `CLUSTER_ID` is the cluster's id. Variables for
   the Java runtime and the image's scripts (`KAFKA_HEAP_OPTS`, `KAFKA_LOG4J_…`, `KAFKA_JMX_…`) are passed over.
3. The file: Java's properties format.
4. The defaults below.

Settings marked *cluster* can also change while Daybook runs, for the whole cluster or for one broker
(`kafka-configs --alter --entity-type brokers`); such a value is stronger than all of the above.

An unknown setting is a warning. A value that is not allowed stops the start with a sentence that says what is. So does
a setting that asks for protection Daybook does not have yet: TLS or SASL listeners, an authorizer, delegation tokens.
Controller, quorum and ZooKeeper settings are accepted; controller listeners in `listeners` are skipped.

`daybook --log-format json`, or `DAYBOOK_LOG_FORMAT=json`, writes the log as JSON; `RUST_LOG` sets its levels
(`RUST_LOG=info,storage=debug`).
";

/// The page.
pub fn configuration_page() -> String {
    let mut page = INTRODUCTION.to_owned();
    different_defaults(&mut page);
    heading(&mut page, "Topic settings");
    page.push_str("A topic without a value of its own has that of the first broker setting that is set.\n\n");
    scoped_table(&mut page, table::topic_settings());
    heading(&mut page, "Broker settings");
    page.push_str("Changes: *start* at start only, *cluster* while Daybook runs too.\n");
    for theme in table::THEMES {
        let _ = write!(page, "\n### {}\n\n", theme.heading);
        broker_table(&mut page, theme.settings);
    }
    heading(&mut page, "Group settings");
    page.push_str("Kept and shown for each group; no group type that uses them is served yet.\n\n");
    scoped_table(&mut page, table::group_settings());
    heading(&mut page, "Client metrics settings");
    page.push_str("Kept and shown for each subscription; no client metrics are collected yet.\n\n");
    page.push_str("| setting | type | default | allowed |\n|--|--|--|--|\n");
    for setting in table::metrics_settings() {
        let _ = writeln!(page, "{}", columns(setting));
    }
    page
}

fn heading(page: &mut String, text: &str) {
    let _ = write!(page, "\n## {text}\n\n");
}

fn different_defaults(page: &mut String) {
    heading(page, "Defaults that are not Kafka's");
    page.push_str("| setting | Daybook | Kafka | why |\n|--|--|--|--|\n");
    for (name, kafkas, reason) in table::DIFFERENT_DEFAULTS {
        let ours = table::broker(name).and_then(|setting| setting.default).unwrap_or_default();
        let _ = writeln!(page, "| `{name}` | `{ours}` | `{kafkas}` | {reason} |");
    }
}

fn broker_table(page: &mut String, settings: &[Setting]) {
    page.push_str("| setting | type | default | allowed | changes | meaning |\n|--|--|--|--|--|--|\n");
    for setting in settings.iter().filter(|setting| setting.listed) {
        let changes = if setting.scope == Scope::Cluster { "cluster" } else { "start" };
        let _ = writeln!(page, "{} {changes} | {} |", columns(setting), setting.doc);
    }
}

fn scoped_table(page: &mut String, settings: &[ScopedSetting]) {
    page.push_str(
        "| setting | type | default | allowed | broker settings | meaning |\n|--|--|--|--|--|--|\n",
    );
    for scoped in settings.iter().filter(|scoped| scoped.setting.listed) {
        let synonyms: Vec<_> = scoped.synonyms.iter().map(|synonym| format!("`{}`", synonym.name)).collect();
        let _ =
            writeln!(page, "{} {} | {} |", columns(&scoped.setting), synonyms.join(", "), scoped.setting.doc);
    }
}

/// Name, type, default and what is allowed.
fn columns(setting: &Setting) -> String {
    let default = match setting.default {
        None => "not set".to_owned(),
        Some("") => "empty".to_owned(),
        Some(default) => format!("`{default}`"),
    };
    let allowed = match setting.check {
        Check::Any => String::new(),
        check => check.allowed(),
    };
    format!("| `{}` | {} | {default} | {allowed} |", setting.name, setting.kind.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE_DOCS=1 cargo test -p broker configuration_page` writes the file anew.
    #[test]
    fn the_configuration_page_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md");
        let page = configuration_page();
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &page).expect("docs/ can be written");
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == page,
            "docs/configuration.md is stale: UPDATE_DOCS=1 cargo test -p broker configuration_page"
        );
    }

    #[test]
    fn every_listed_setting_is_on_the_page() {
        let page = configuration_page();
        for setting in table::broker_settings() {
            assert_eq!(page.contains(&format!("| `{}` |", setting.name)), setting.listed, "{}", setting.name);
        }
    }

    #[test]
    fn no_text_breaks_a_table() {
        let scoped = table::topic_settings().iter().chain(table::group_settings());
        for setting in table::broker_settings().chain(scoped.map(|scoped| &scoped.setting)) {
            assert!(!setting.doc.contains(['|', '\n']) && setting.doc.ends_with('.'), "{}", setting.name);
        }
    }
}
