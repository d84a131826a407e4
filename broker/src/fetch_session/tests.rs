//! The session rules, as a table and as short sessions.

use super::{session::next_epoch, *};
use uuid::Uuid;

const NOTHING: Facts = Facts {
    topic_id: Uuid::nil(),
    high_watermark: 5,
    log_start_offset: 0,
    has_records: false,
    must_tell: false,
    is_error: false,
};
const RECORDS: Facts = Facts { has_records: true, ..NOTHING };
const ERROR: Facts =
    Facts { high_watermark: -1, log_start_offset: -1, must_tell: true, is_error: true, ..NOTHING };

fn key(partition: i32) -> PartitionKey {
    PartitionKey { topic: TopicKey::Name("t".into()), partition }
}

fn asked(partition: i32) -> Asked {
    Asked {
        key: key(partition),
        fetch_offset: 0,
        max_bytes: 1,
        current_leader_epoch: -1,
        last_fetched_epoch: -1,
    }
}

fn request(session_id: i32, session_epoch: i32, partitions: &[i32]) -> Request {
    let listed = partitions.iter().copied().map(asked).collect();
    Request { session_id, session_epoch, by_ids: false, listed, forgotten: vec![] }
}

fn forget(session_id: i32, session_epoch: i32, partitions: &[i32]) -> Request {
    let forgotten = partitions.iter().copied().map(key).collect();
    Request { forgotten, ..request(session_id, session_epoch, &[]) }
}

/// Sessions under test: ids are drawn in order.
struct Bench {
    sessions: Sessions,
    now: Instant,
    next_id: i32,
}

impl Bench {
    fn new(slots: usize) -> Self {
        Self { sessions: Sessions::new(slots), now: Instant::now(), next_id: 0 }
    }

    /// Partitions read, session id, and the partitions answered, when every partition gives `facts`.
    fn fetch(&mut self, request: Request, facts: Facts) -> Result<(Vec<i32>, i32, Vec<i32>), Error> {
        let context = self.sessions.begin(request, self.now)?;
        let read: Vec<i32> = context.asked().iter().map(|asked| asked.key.partition).collect();
        let results: Vec<_> = read.iter().map(|&partition| (key(partition), facts)).collect();
        let answer = context.finish(&results, self.now, || {
            self.next_id += 1;
            self.next_id
        })?;
        let told = read.iter().zip(answer.include).filter_map(|(&read, told)| told.then_some(read)).collect();
        Ok((read, answer.session_id, told))
    }

    fn new_session(&mut self, partitions: &[i32]) -> i32 {
        self.fetch(request(0, 0, partitions), NOTHING)
            .expect("a full fetch has no session to be wrong about")
            .1
    }
}

/// FETCH-10
#[test]
fn the_session_id_and_epoch_of_a_request_decide_what_it_is() {
    let unknown = 12345;
    let table = [
        // (session, epoch) -> the id in the answer, or the error
        ((0, -1), Ok(0)),
        ((unknown, -1), Ok(0)),
        ((0, 0), Ok(2)),
        ((unknown, 0), Ok(2)),
        ((unknown, 1), Err(Error::IdNotFound)),
        ((0, 5), Err(Error::IdNotFound)),
        ((0, -2), Err(Error::IdNotFound)),
        ((1, 1), Ok(1)),
        ((1, 2), Err(Error::InvalidEpoch)),
        ((1, -2), Err(Error::InvalidEpoch)),
        // Both of these end session 1.
        ((1, -1), Ok(0)),
        ((1, 0), Ok(2)),
    ];
    for ((id, epoch), expected) in table {
        let mut bench = Bench::new(10);
        assert_eq!(bench.new_session(&[0, 1]), 1);
        let got = bench.fetch(request(id, epoch, &[0]), NOTHING).map(|(_, id, _)| id);
        assert_eq!(got, expected, "session {id} epoch {epoch}");
        let survives = !(id == 1 && matches!(epoch, 0 | -1));
        let next = if (id, epoch) == (1, 1) { 2 } else { 1 };
        let after = bench.fetch(request(1, next, &[]), NOTHING);
        assert_eq!(after.is_ok(), survives, "after session {id} epoch {epoch}");
    }
}

#[test]
fn a_wrong_epoch_does_not_advance_the_session() {
    let mut bench = Bench::new(10);
    let id = bench.new_session(&[0]);
    assert!(bench.fetch(request(id, 1, &[]), NOTHING).is_ok());
    assert_eq!(bench.fetch(request(id, 1, &[]), NOTHING), Err(Error::InvalidEpoch));
    assert_eq!(bench.fetch(request(id, 9, &[]), NOTHING), Err(Error::InvalidEpoch));
    assert!(bench.fetch(request(id, 2, &[]), NOTHING).is_ok());
}

#[test]
fn epochs_wrap_to_one() {
    assert_eq!((next_epoch(0), next_epoch(1), next_epoch(i32::MAX)), (1, 2, 1));
}

#[test]
fn a_session_keeps_to_names_or_ids() {
    let mut bench = Bench::new(10);
    let id = bench.new_session(&[0]);
    let by_ids = Request { by_ids: true, ..request(id, 1, &[]) };
    assert_eq!(bench.fetch(by_ids, NOTHING), Err(Error::TopicIdMismatch));
    assert!(bench.fetch(request(id, 1, &[]), NOTHING).is_ok(), "the session was not advanced");
}

#[test]
fn a_full_answer_has_every_partition_and_an_incremental_one_only_news() {
    let mut bench = Bench::new(10);
    let (_, id, told) = bench.fetch(request(0, 0, &[0, 1]), NOTHING).expect("a full fetch");
    assert_eq!(told, [0, 1]);
    let table = [
        ("nothing new", NOTHING, vec![]),
        ("the high watermark moved", Facts { high_watermark: 6, ..NOTHING }, vec![0, 1]),
        ("and did not move again", Facts { high_watermark: 6, ..NOTHING }, vec![]),
        ("the log start moved", Facts { high_watermark: 6, log_start_offset: 2, ..NOTHING }, vec![0, 1]),
        ("records", Facts { high_watermark: 6, log_start_offset: 2, ..RECORDS }, vec![0, 1]),
        ("the same records again", Facts { high_watermark: 6, log_start_offset: 2, ..RECORDS }, vec![0, 1]),
        ("an error", ERROR, vec![0, 1]),
        ("the same error", ERROR, vec![0, 1]),
        ("the error is gone", Facts { high_watermark: 6, log_start_offset: 2, ..NOTHING }, vec![0, 1]),
        (
            "a diverging epoch",
            Facts { high_watermark: 6, log_start_offset: 2, must_tell: true, ..NOTHING },
            vec![0, 1],
        ),
        (
            "another topic under the name, with the same offsets",
            Facts { topic_id: Uuid::from_u128(1), high_watermark: 6, log_start_offset: 2, ..NOTHING },
            vec![0, 1],
        ),
    ];
    for (epoch, (case, facts, expected)) in (1..).zip(table) {
        let (_, answered, told) = bench.fetch(request(id, epoch, &[]), facts).expect("the right epoch");
        assert_eq!((answered, told), (id, expected), "{case}");
    }
}

/// FETCH-04: nothing listed means all of the session.
#[test]
fn requests_add_change_and_forget_partitions_and_data_moves_them_to_the_end() {
    let mut bench = Bench::new(10);
    let id = bench.new_session(&[0, 1, 2]);
    let order = |bench: &mut Bench, request, facts| bench.fetch(request, facts).expect("the right epoch").0;
    assert_eq!(order(&mut bench, request(id, 1, &[]), NOTHING), [0, 1, 2]);
    assert_eq!(order(&mut bench, request(id, 2, &[3, 1]), NOTHING), [0, 1, 2, 3]);
    assert_eq!(order(&mut bench, forget(id, 3, &[0, 9]), NOTHING), [1, 2, 3]);

    let context = bench.sessions.begin(request(id, 4, &[]), bench.now).expect("the right epoch");
    let results = [(key(1), RECORDS), (key(2), NOTHING), (key(3), RECORDS)];
    context.finish(&results, bench.now, || unreachable!("no new session")).expect("nobody else used it");
    assert_eq!(order(&mut bench, request(id, 5, &[]), NOTHING), [2, 1, 3]);
}

#[test]
fn changed_positions_are_taken_over() {
    let mut bench = Bench::new(10);
    let id = bench.new_session(&[0]);
    let mut moved = request(id, 1, &[0]);
    moved.listed[0].fetch_offset = 77;
    bench.fetch(moved, NOTHING).expect("the right epoch");
    let context = bench.sessions.begin(request(id, 2, &[]), bench.now).expect("the right epoch");
    assert_eq!(context.asked()[0].fetch_offset, 77);
}

#[test]
fn a_session_without_partitions_left_is_closed() {
    let mut bench = Bench::new(10);
    let id = bench.new_session(&[0, 1]);
    assert_eq!(bench.fetch(forget(id, 1, &[0, 1]), NOTHING), Ok((vec![], 0, vec![])));
    assert_eq!(bench.fetch(request(id, 2, &[]), NOTHING), Err(Error::IdNotFound));
    assert!(bench.sessions.is_empty());
}

#[test]
fn a_request_that_was_overtaken_while_it_waited_gets_an_error() {
    let mut bench = Bench::new(10);
    let id = bench.new_session(&[0]);
    let waiting = bench.sessions.begin(request(id, 1, &[]), bench.now).expect("the right epoch");
    bench.fetch(request(id, 2, &[]), NOTHING).expect("the next epoch");
    let overtaken = waiting.finish(&[(key(0), RECORDS)], bench.now, || unreachable!("no new session"));
    assert_eq!(overtaken, Err(Error::InvalidEpoch));
}

#[test]
fn without_slots_there_are_no_sessions() {
    let mut bench = Bench::new(0);
    assert_eq!(bench.new_session(&[0]), 0);
}

#[test]
fn a_full_cache_refuses_until_a_session_was_idle_or_small_for_long() {
    let mut bench = Bench::new(2);
    let (small, big) = (bench.new_session(&[0]), bench.new_session(&[0, 1, 2]));
    assert_eq!(bench.new_session(&[0, 1]), 0, "both are young");

    // Used all the time: now they are seasoned, and a bigger session takes the place of the smaller one.
    bench.now += EVICTION_AGE + Duration::from_secs(1);
    for id in [small, big] {
        bench.fetch(request(id, 1, &[]), NOTHING).expect("both are there");
    }
    assert_eq!(bench.new_session(&[0]), 0, "not bigger than the smallest");
    let middle = bench.new_session(&[0, 1]);
    assert_ne!(middle, 0);
    assert_eq!(bench.fetch(request(small, 2, &[]), NOTHING), Err(Error::IdNotFound));
    assert!(bench.fetch(request(big, 2, &[]), NOTHING).is_ok());

    // Idle for long: goes whatever its size.
    bench.now += EVICTION_AGE + Duration::from_secs(1);
    bench.fetch(request(middle, 1, &[]), NOTHING).expect("it is there");
    assert_ne!(bench.new_session(&[0]), 0);
    assert_eq!(bench.fetch(request(big, 3, &[]), NOTHING), Err(Error::IdNotFound));
    assert_eq!(bench.sessions.len(), 2);
}

#[test]
fn sessions_together_remember_a_bounded_number_of_partitions() {
    let mut bench = Bench::new(10);
    let most: Vec<i32> = (0..400_000).collect();
    let first = bench.new_session(&most);
    assert_eq!((first, bench.new_session(&most)), (1, 0), "the second is answered, but not kept");
    let more: Vec<i32> = (400_000..600_000).collect();
    assert!(bench.fetch(request(first, 1, &more), NOTHING).is_ok());
    assert_eq!(bench.fetch(request(first, 2, &[]), NOTHING), Err(Error::IdNotFound), "it grew too large");
    assert_ne!(bench.new_session(&most), 0, "there is room again");
}
