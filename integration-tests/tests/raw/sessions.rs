//! Fetch sessions (KIP-227, `FETCH-04`, `FETCH-10`).

use integration_tests::{Connection, Daybook, batch::Batch, stored, verbs::fetch_request};
use kafka_protocol::messages::{fetch_request::ForgottenTopic, *};
use std::time::{Duration, Instant};

fn with_topic() -> (Daybook, Connection) {
    let daybook = Daybook::start(&[]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 2, &[]);
    (daybook, connection)
}

/// Opens a session on both partitions; its id.
fn open(connection: &mut Connection) -> i32 {
    let answer = connection.ask(12, &fetch_request("t", &[(0, 0), (1, 0)]).with_session_epoch(0));
    assert_eq!((answer.error_code, answer.responses[0].partitions.len()), (0, 2));
    assert!(answer.session_id > 0, "a session was offered by the client and has room");
    answer.session_id
}

/// A Fetch in a session that lists these partitions only.
fn incremental(session_id: i32, epoch: i32, partitions: &[(i32, i64)]) -> FetchRequest {
    let request = fetch_request("t", partitions).with_session_id(session_id).with_session_epoch(epoch);
    if partitions.is_empty() { request.with_topics(Vec::new()) } else { request }
}

/// FETCH-04: an incremental fetch that lists nothing waits on the session's partitions, and is woken by them.
#[test]
fn an_empty_incremental_fetch_waits_on_the_sessions_partitions() {
    let (daybook, mut connection) = with_topic();
    let session = open(&mut connection);
    let asked_at = Instant::now();
    let answer = connection.ask(12, &incremental(session, 1, &[]).with_max_wait_ms(500));
    assert!(asked_at.elapsed() >= Duration::from_millis(450), "not answered at once");
    assert!(answer.responses.is_empty(), "nothing changed, nothing listed");

    connection.send(12, &incremental(session, 2, &[]).with_max_wait_ms(10_000));
    connection.assert_silent(Duration::from_millis(50));
    daybook.connect().produce("t", 1, &Batch::of(&["x"]));
    let (_, answer) = connection.answer::<FetchRequest>(12);
    let topic = &answer.responses[0];
    assert_eq!((topic.partitions.len(), topic.partitions[0].partition_index), (1, 1), "only what changed");
    assert_eq!(
        stored::values(&stored::batches(topic.partitions[0].records.clone().expect("not null"))),
        ["x"]
    );
}

/// FETCH-10: epochs advance by one; a wrong one is error 71, an unknown session 70.
#[test]
fn session_epochs_and_ids_are_checked() {
    let (_daybook, mut connection) = with_topic();
    let session = open(&mut connection);
    assert_eq!(connection.ask(12, &incremental(session, 1, &[])).error_code, 0);
    assert_eq!(connection.ask(12, &incremental(session, 3, &[])).error_code, 71, "skipped");
    assert_eq!(connection.ask(12, &incremental(session, 1, &[])).error_code, 71, "repeated");
    assert_eq!(connection.ask(12, &incremental(session, 2, &[])).error_code, 0, "the session lives");
    let unknown = connection.ask(12, &incremental(session ^ 1, 1, &[]));
    assert_eq!((unknown.error_code, unknown.session_id), (70, 0));
}

/// FETCH-10: a session belongs to the broker and not to the connection.
#[test]
fn a_session_can_be_used_from_another_connection() {
    let (daybook, mut connection) = with_topic();
    let session = open(&mut connection);
    drop(connection);
    assert_eq!(daybook.connect().ask(12, &incremental(session, 1, &[])).error_code, 0);
}

/// FETCH-10: epoch -1 closes the session; the answer comes at once, with session id 0.
#[test]
fn a_closed_session_is_gone() {
    let (_daybook, mut connection) = with_topic();
    let session = open(&mut connection);
    let asked_at = Instant::now();
    // What a Java consumer sends when it closes: no topics, the session, epoch -1, its usual max_wait_ms.
    let close = incremental(session, -1, &[]).with_max_wait_ms(10_000);
    let answer = connection.ask(12, &close);
    assert_eq!((answer.error_code, answer.session_id), (0, 0));
    assert!(asked_at.elapsed() < Duration::from_secs(3));
    assert_eq!(connection.ask(12, &incremental(session, 1, &[])).error_code, 70);
}

/// Partitions join and leave a session; an offset that is given again replaces the old one.
#[test]
fn partitions_join_leave_and_move_in_a_session() {
    let (_daybook, mut connection) = with_topic();
    connection.produce("t", 0, &Batch::of(&["a"]));
    connection.produce("t", 1, &Batch::of(&["b"]));
    let answer = connection.ask(12, &fetch_request("t", &[(0, 0)]).with_session_epoch(0));
    let session = answer.session_id;
    assert_eq!(answer.responses[0].partitions.len(), 1);

    let joined = connection.ask(12, &incremental(session, 1, &[(1, 0), (0, 1)]));
    let listed: Vec<_> = joined.responses[0].partitions.iter().map(|p| p.partition_index).collect();
    assert_eq!(listed, [1], "partition 0 is at its end and did not change");

    let forget =
        ForgottenTopic::default().with_topic(integration_tests::topic_name("t")).with_partitions(vec![1]);
    let left = connection.ask(12, &incremental(session, 2, &[]).with_forgotten_topics_data(vec![forget]));
    assert!(left.responses.is_empty(), "{left:?}");
}

/// With no room for sessions the id is 0 and everything still works.
#[test]
fn without_slots_there_are_no_sessions() {
    let daybook = Daybook::start(&[("max.incremental.fetch.session.cache.slots", "0")]);
    let mut connection = daybook.connect();
    connection.create_topic("t", 1, &[]);
    let answer = connection.ask(12, &fetch_request("t", &[(0, 0)]).with_session_epoch(0));
    assert_eq!((answer.error_code, answer.session_id), (0, 0));
    assert_eq!(answer.responses[0].partitions.len(), 1);
}
