//! kcat as Debian ships it, with its librdkafka 2.0.2: the kind of old client that decides by what is advertised.

use integration_tests::{
    Daybook,
    batch::Codec,
    stored,
    tools::{find, run},
};
use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// kcat with these arguments against this broker; what it prints.
fn kcat(program: &Path, daybook: &Daybook, arguments: &[&str]) -> String {
    run(Command::new(program).arg("-b").arg(daybook.bootstrap()).args(arguments).stdin(Stdio::null()))
}

/// kcat that is given lines to produce.
fn produce(program: &Path, daybook: &Daybook, arguments: &[&str], lines: &str) {
    let mut child = Command::new(program)
        .arg("-b")
        .arg(daybook.bootstrap())
        .arg("-P")
        .args(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .expect("kcat");
    child.stdin.take().expect("piped").write_all(lines.as_bytes()).expect("kcat reads");
    assert!(child.wait().expect("our child").success(), "kcat -P {arguments:?}");
}

/// VER-03: kcat compresses, because Produce is advertised from version 0; it is stored compressed.
#[test]
fn kcat_produces_with_every_codec() {
    let Some(program) = find("kcat") else { return };
    let daybook = Daybook::start(&[]);
    let lines: String = (0..50).map(|number| format!("{number} the same words again and again\n")).collect();
    for (name, codec) in [
        ("none", Codec::None),
        ("gzip", Codec::Gzip),
        ("snappy", Codec::Snappy),
        ("lz4", Codec::Lz4),
        ("zstd", Codec::Zstd),
    ] {
        let topic = format!("with-{name}");
        produce(&program, &daybook, &["-t", &topic, "-z", name, "-X", "linger.ms=100"], &lines);
        let batches = daybook.connect().fetch(&topic, 0, 0);
        assert!(batches.iter().any(|batch| batch.codec() == codec), "{name}: {:?}", batches[0].codec());
        assert_eq!(stored::records(&batches).len(), 50);
        let consumed = kcat(&program, &daybook, &["-C", "-t", &topic, "-e", "-q", "-X", "check.crcs=true"]);
        assert_eq!(consumed, lines, "{name}");
    }
}

/// Keys, headers, null values, offsets and times, as kcat formats them.
#[test]
fn kcat_reads_what_it_wrote() {
    let Some(program) = find("kcat") else { return };
    let daybook = Daybook::start(&[]);
    produce(
        &program,
        &daybook,
        &["-t", "t", "-K", ":", "-Z", "-H", "h=1", "-z", "lz4"],
        "till:pasta\ntill:bread\nweb:\n",
    );
    let format = "%t %p %o %k %s %S %h;";
    let read = kcat(&program, &daybook, &["-C", "-t", "t", "-e", "-q", "-f", format]);
    assert_eq!(
        read,
        "t 0 0 till pasta 5 h=1;t 0 1 till bread 5 h=1;t 0 2 web NULL -1 h=1;".replace("NULL", "")
    );
}

/// LIST-01, META-01: metadata and offset queries.
#[test]
fn kcat_lists_and_queries() {
    let Some(program) = find("kcat") else { return };
    let daybook = Daybook::start(&[]);
    daybook.connect().create_topic("t", 2, &[]);
    produce(&program, &daybook, &["-t", "t", "-p", "1"], "a\nb\n");
    let listed = kcat(&program, &daybook, &["-L"]);
    assert!(listed.contains(&format!("broker 1 at {} (controller)", daybook.bootstrap())), "{listed}");
    assert!(listed.contains("topic \"t\" with 2 partitions"), "{listed}");
    let json = kcat(&program, &daybook, &["-L", "-J", "-t", "t"]);
    assert!(json.contains("\"controllerid\":1"), "{json}");
    let ends = kcat(&program, &daybook, &["-Q", "-t", "t:1:-1", "-t", "t:0:-2"]);
    assert!(ends.contains("t [1] offset 2") && ends.contains("t [0] offset 0"), "{ends}");
}

/// GROUP-03: a group of kcat's, and its committed offset.
#[test]
fn kcat_consumes_in_a_group() {
    let Some(program) = find("kcat") else { return };
    let daybook = Daybook::start(&[]);
    produce(&program, &daybook, &["-t", "t"], "a\nb\nc\n");
    let group = ["-G", "g", "-e", "-q", "-X", "auto.offset.reset=earliest", "t"];
    assert_eq!(kcat(&program, &daybook, &group), "a\nb\nc\n");
    assert_eq!(daybook.connect().committed_offset("g", "t", 0), 3);
    produce(&program, &daybook, &["-t", "t"], "d\n");
    assert_eq!(kcat(&program, &daybook, &group), "d\n");
}

/// WIRE-02: acks=0 with many records, and idempotence.
#[test]
fn kcat_produces_without_and_with_guarantees() {
    let Some(program) = find("kcat") else { return };
    let daybook = Daybook::start(&[]);
    let lines: String = (0..10_000).map(|number| format!("{number}\n")).collect();
    for (topic, setting) in [("fast", "acks=0"), ("sure", "enable.idempotence=true")] {
        produce(&program, &daybook, &["-t", topic, "-X", setting], &lines);
        integration_tests::eventually("all arrive", std::time::Duration::from_secs(10), || {
            daybook.connect().offsets(topic, 0) == (0, 10_000)
        });
        assert_eq!(kcat(&program, &daybook, &["-C", "-t", topic, "-e", "-q"]), lines, "{setting}");
    }
}
