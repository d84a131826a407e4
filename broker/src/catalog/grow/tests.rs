use super::*;
use crate::catalog::image::Local;
use protocol_glue::records::metadata::Topic as TopicRecord;
use uuid::Uuid;

/// A catalog in which topic `t` has two partitions.
fn image() -> Image {
    let local = Local { node_id: 1, directory_id: Uuid::from_u128(500) };
    let mut image = Image::new(local);
    let id = Uuid::from_u128(1000);
    image.apply(&TopicRecord { name: "t".to_owned(), topic_id: id }.into(), 0).expect("a new topic");
    let state = crate::catalog::PartitionState { leader_epoch: 0, partition_epoch: 0 };
    for index in 0..2 {
        image.apply(&local.settled(id, index, &state).into(), 1).expect("a new partition");
    }
    image
}

fn to(count: i32, assignments: Option<&[&[i32]]>) -> Wanted {
    let assignments = assignments.map(|all| all.iter().map(|brokers| brokers.to_vec()).collect());
    Wanted { name: "t".to_owned(), count, assignments }
}

/// ADM-07: error codes as Apache Kafka 4.4.0 gives them.
#[test]
fn each_wrong_count_gets_kafkas_code() {
    let unknown = |name: &str| Wanted { name: name.to_owned(), count: 4, assignments: None };
    let table = [
        (to(1, None), Err(37)),
        (to(2, None), Err(37)),
        (to(0, None), Err(37)),
        (to(-1, None), Err(37)),
        (to(4, None), Ok(2..4)),
        (to(20_000, None), Err(44)),
        (to(i32::MAX, None), Err(44)),
        (to(4, Some(&[&[1]])), Err(39)),
        (to(4, Some(&[&[1], &[1], &[1]])), Err(39)),
        (to(4, Some(&[&[1], &[1]])), Ok(2..4)),
        (to(4, Some(&[&[9], &[1]])), Err(39)),
        (to(4, Some(&[&[], &[]])), Err(39)),
        (to(4, Some(&[&[1, 1], &[1]])), Err(39)),
        (to(4, Some(&[&[1, 2], &[1, 2]])), Err(39)),
        (to(4, Some(&[])), Err(39)),
        (unknown("tx"), Err(3)),
        (unknown("a b"), Err(3)),
    ];
    for (wanted, expected) in table {
        let outcomes = decide(&image(), std::slice::from_ref(&wanted), 1);
        let outcome = outcomes[0].1.as_ref().map(|growth| growth.added.clone()).map_err(Refusal::code);
        assert_eq!(outcome, expected, "{wanted:?}");
    }
}

/// Kafka's tools are scripted against these.
#[test]
fn refusals_are_worded_as_kafka_words_them() {
    let message = |count| {
        let outcome = decide(&image(), &[to(count, None)], 1).remove(0).1;
        outcome.err().and_then(|refusal| refusal.message).unwrap_or_default()
    };
    assert_eq!(message(1), "The topic t currently has 2 partition(s); 1 would not be an increase.");
    assert_eq!(message(2), "Topic already has 2 partition(s).");
}

#[test]
fn a_name_that_comes_twice_is_answered_once() {
    let outcomes = decide(&image(), &[to(4, None), to(4, None)], 1);
    assert_eq!(outcomes.len(), 1);
    assert_eq!(outcomes[0].1.as_ref().map_err(Refusal::code).map(|_| ()), Err(42));
}
