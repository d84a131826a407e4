//! The log against a plain list of batches: whatever is done to both, they agree.

use super::{testing::*, *};
use crate::{batch::Codec, validate::testing::Sketch};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    /// Record timestamps, codec, and how far the clock moves.
    Append(Vec<i64>, Codec, i64),
    Trim(i64),
    Retain,
    Truncate(i64),
    Flush,
    /// Kill -9.
    Reopen,
    Close,
}

/// What the log must be: its batches as (base offset, timestamps), and where it starts.
#[derive(Clone, Default)]
struct Model {
    batches: Vec<(i64, Vec<i64>)>,
    start: i64,
    end: i64,
}

impl Model {
    fn append(&mut self, timestamps: Vec<i64>) {
        let base = self.end;
        self.end += timestamps.len() as i64;
        self.batches.push((base, timestamps));
    }

    fn truncate(&mut self, to: i64) {
        while self.end > to {
            let Some((base, _)) = self.batches.pop() else { break };
            self.end = base;
        }
        self.start = self.start.min(self.end);
    }

    fn records(&self) -> Vec<(i64, i64)> {
        let all =
            self.batches.iter().flat_map(|(base, timestamps)| (*base..).zip(timestamps.iter().copied()));
        all.filter(|&(offset, _)| offset >= self.start).collect()
    }

    fn at_or_after(&self, timestamp: i64) -> Option<(i64, i64)> {
        self.records().into_iter().find(|&(_, at)| at >= timestamp)
    }

    fn largest(&self) -> Option<(i64, i64)> {
        let records = self.records();
        let largest = records.iter().map(|&(_, at)| at).max()?;
        records.into_iter().find(|&(_, at)| at == largest)
    }
}

fn step() -> impl Strategy<Value = Step> {
    let codec = prop_oneof![Just(Codec::None), Just(Codec::Gzip), Just(Codec::Lz4)];
    prop_oneof![
        12 => (proptest::collection::vec(0i64..500, 1..6), codec, 0i64..50).prop_map(|(a, b, c)| Step::Append(a, b, c)),
        1 => (0i64..120).prop_map(Step::Trim),
        1 => Just(Step::Retain),
        1 => (0i64..120).prop_map(Step::Truncate),
        1 => Just(Step::Flush),
        1 => Just(Step::Reopen),
        1 => Just(Step::Close),
    ]
}

struct Pair {
    bench: Bench,
    model: Model,
    now_ms: i64,
    recovery_point: i64,
}

impl Pair {
    fn take(mut self, step: Step) -> Self {
        match step {
            Step::Append(timestamps, codec, passed) => {
                self.now_ms += passed;
                let sketch: Sketch = at_times(&timestamps, codec);
                let appended = self.bench.log.append(sketch.valid(), 0, self.now_ms).expect("appends");
                assert_eq!(appended.base_offset, self.model.end);
                self.model.append(timestamps);
            }
            Step::Trim(to) => {
                let to = to.min(self.model.end);
                self.bench.log.raise_start_offset(to).expect("trims");
                self.model.start = self.model.start.max(to);
            }
            Step::Retain => {
                self.bench.log.apply_retention(self.now_ms).expect("deletes");
            }
            Step::Truncate(to) => {
                // What lies below the start may be gone already.
                let to = to.max(self.model.start);
                self.bench.log.truncate(to).expect("cuts");
                self.model.truncate(to);
            }
            Step::Flush => {
                self.bench.flush();
                self.recovery_point = self.bench.log.recovery_point();
            }
            Step::Reopen => {
                let hints = Hints {
                    clean: false,
                    recovery_point: self.recovery_point,
                    log_start_offset: self.model.start,
                    now_ms: self.now_ms,
                };
                self.bench = self.bench.reopen(hints);
                assert_eq!(self.bench.recovery.truncated_bytes, 0);
            }
            Step::Close => {
                self.bench = self.bench.close_and_reopen();
                assert_eq!(self.bench.recovery, Recovery::default());
            }
        }
        self.recovery_point = self.recovery_point.min(self.bench.log.end_offset());
        self
    }

    fn compare(&self) {
        let (log, model) = (&self.bench.log, &self.model);
        assert_eq!((log.start_offset(), log.end_offset()), (model.start, model.end));
        let records = model.records();
        for max_bytes in [1, 150, 100_000] {
            assert_eq!(read_all(log, model.start, max_bytes), records);
        }
        for offset in [model.start, (model.start + model.end) / 2, model.end] {
            let expected: Vec<_> = records.iter().copied().filter(|&(at, _)| at >= offset).collect();
            assert_eq!(read_all(log, offset, 300), expected);
        }
        let found = |found: Option<Found>| found.map(|found| (found.offset, found.timestamp));
        for timestamp in [0, 100, 250, 499, 500] {
            assert_eq!(found(log.find_timestamp(timestamp).expect("reads")), model.at_or_after(timestamp));
        }
        assert_eq!(found(log.find_max_timestamp().expect("reads")), model.largest());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_log_agrees_with_a_list_of_batches(steps in proptest::collection::vec(step(), 1..60), preallocate in any::<bool>()) {
        let config = LogConfig { segment_bytes: 600, segment_ms: 400, retention_ms: -1, preallocate, ..config() };
        let mut pair = Pair { bench: Bench::new(config), model: Model::default(), now_ms: 0, recovery_point: 0 };
        for step in steps {
            pair = pair.take(step);
            pair.compare();
        }
    }
}
