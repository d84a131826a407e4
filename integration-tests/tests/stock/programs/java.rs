//! Kafka's own command-line tools, from Maven Central (`peer/run-kafka.sh tool NAME`).

use integration_tests::{
    Daybook,
    tools::{find, output, run},
};
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

struct Tools {
    script: PathBuf,
    daybook: Daybook,
}

impl Tools {
    fn start() -> Option<Tools> {
        Some(Tools { script: find("java_tools")?, daybook: Daybook::start(&[]) })
    }

    fn command(&self, tool: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.script);
        command.args(["tool", tool, "--bootstrap-server", &self.daybook.bootstrap()]).args(arguments);
        command
    }

    fn run(&self, tool: &str, arguments: &[&str]) -> String {
        run(&mut self.command(tool, arguments))
    }
}

/// Topics, settings, offsets, a console round trip and groups, as a course would show them.
#[test]
fn java_tools_lesson() {
    let Some(tools) = Tools::start() else { return };
    tools.run(
        "kafka-topics",
        &["--create", "--topic", "t", "--partitions", "2", "--config", "retention.ms=60000"],
    );
    let described = tools.run("kafka-topics", &["--describe", "--topic", "t"]);
    assert!(
        described.contains("PartitionCount: 2") && described.contains("retention.ms=60000"),
        "{described}"
    );

    let mut producer = tools
        .command("kafka-console-producer", &["--topic", "t", "--command-property", "acks=all"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the tool");
    producer.stdin.take().expect("piped").write_all(b"pasta\nbread\nmilk\n").expect("it reads");
    assert!(producer.wait().expect("our child").success());

    let consumed = tools.run(
        "kafka-console-consumer",
        &[
            "--topic",
            "t",
            "--from-beginning",
            "--max-messages",
            "3",
            "--group",
            "billing",
            "--timeout-ms",
            "20000",
        ],
    );
    let mut lines: Vec<_> = consumed.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["bread", "milk", "pasta"]);

    let groups = tools.run("kafka-consumer-groups", &["--describe", "--group", "billing"]);
    assert!(groups.contains("billing"), "{groups}");
    let reset = tools.run(
        "kafka-consumer-groups",
        &["--reset-offsets", "--group", "billing", "--topic", "t", "--to-earliest", "--execute"],
    );
    assert!(reset.contains("billing"), "{reset}");

    let offsets = tools.run("kafka-get-offsets", &["--topic", "t"]);
    let total: i64 = offsets.lines().filter_map(|line| line.rsplit(':').next()?.parse::<i64>().ok()).sum();
    assert_eq!(total, 3, "{offsets}");

    tools.run(
        "kafka-configs",
        &[
            "--alter",
            "--entity-type",
            "topics",
            "--entity-name",
            "t",
            "--add-config",
            "max.message.bytes=2000",
        ],
    );
    let configs =
        tools.run("kafka-configs", &["--describe", "--entity-type", "topics", "--entity-name", "t"]);
    assert!(configs.contains("max.message.bytes=2000"), "{configs}");
    tools.run("kafka-topics", &["--alter", "--topic", "t", "--partitions", "3"]);
    tools.run("kafka-log-dirs", &["--describe", "--topic-list", "t"]);
    tools.run("kafka-broker-api-versions", &[]);
    tools.run("kafka-topics", &["--delete", "--topic", "t"]);
    assert_eq!(tools.run("kafka-topics", &["--list", "--exclude-internal"]).trim(), "");
}

/// ADM-03: what cannot be is refused with Kafka's words for it.
#[test]
fn java_tools_show_refusals() {
    let Some(tools) = Tools::start() else { return };
    let refused = output(
        &mut tools.command("kafka-topics", &["--create", "--topic", "t", "--replication-factor", "3"]),
    );
    assert!(!refused.status.success());
    let printed = String::from_utf8_lossy(&refused.stdout) + String::from_utf8_lossy(&refused.stderr);
    assert!(printed.contains("InvalidReplicationFactorException"), "{printed}");
}

/// Our segment and index files are Kafka's: its own checker reads them.
#[test]
fn java_dump_log_reads_our_files() {
    let Some(mut tools) = Tools::start() else { return };
    let mut connection = tools.daybook.connect();
    connection.create_topic("t", 1, &[("index.interval.bytes", "0")]);
    for number in 0..20 {
        connection.produce("t", 0, &integration_tests::batch::Batch::of(&[&number.to_string(), "x"]));
    }
    connection.commit("g", "t", &[(0, 7)]);
    tools.daybook.stop();
    let dump = |arguments: &[&str], file: &Path| {
        let mut command = Command::new(&tools.script);
        command.args(["tool", "kafka-dump-log", "--files"]).arg(file).args(arguments);
        run(&mut command)
    };
    let partition = tools.daybook.folder().join("t-0");
    let printed =
        dump(&["--print-data-log", "--deep-iteration"], &partition.join("00000000000000000000.log"));
    assert!(printed.contains("baseOffset: 38") && printed.contains("isvalid: true"), "{printed}");
    for index in ["index", "timeindex"] {
        let printed =
            dump(&["--index-sanity-check"], &partition.join(format!("00000000000000000000.{index}")));
        assert!(printed.contains("passed sanity check"), "{index}: {printed}");
    }
    let metadata = tools.daybook.folder().join("__cluster_metadata-0/00000000000000000000.log");
    let printed = dump(&["--cluster-metadata-decoder"], &metadata);
    assert!(printed.contains("TOPIC_RECORD") && printed.contains("PARTITION_RECORD"), "{printed}");
}
