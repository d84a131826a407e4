//! What clients were told, and whether the log agrees. Checking is a pure function over what was noted.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

/// Partition, then offset, to the name of the record's value (`producer:number`).
pub type Log = BTreeMap<i32, BTreeMap<i64, String>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anomaly {
    /// A record that was acknowledged at this offset is not there.
    Lost { partition: i32, offset: i64, name: String },
    /// An idempotent producer's value stands at more than one offset.
    Duplicate { name: String },
    /// A producer's values do not ascend within a partition.
    Reordered { partition: i32, before: String, after: String },
    /// A gap in the offsets.
    Gap { partition: i32, offset: i64 },
    /// An acknowledged commit was ahead of what the broker remembers.
    CommitWentBack { partition: i32, acknowledged: i64, found: i64 },
}

/// Notes of all clients of one run.
#[derive(Clone, Default)]
pub struct History(Arc<Mutex<Notes>>);

#[derive(Default)]
struct Notes {
    acknowledged: Vec<(i32, i64, String)>,
    idempotent: BTreeSet<String>,
    commits: BTreeMap<i32, i64>,
    anomalies: Vec<Anomaly>,
}

impl History {
    fn notes(&self) -> std::sync::MutexGuard<'_, Notes> {
        self.0.lock().expect("no panic while noting")
    }

    /// This producer must not appear twice in the log.
    pub fn idempotent_producer(&self, producer: &str) {
        self.notes().idempotent.insert(producer.to_owned());
    }

    pub fn acknowledged(&self, partition: i32, offset: i64, name: String) {
        self.notes().acknowledged.push((partition, offset, name));
    }

    pub fn commit_acknowledged(&self, partition: i32, offset: i64) {
        let mut notes = self.notes();
        let known = notes.commits.entry(partition).or_insert(offset);
        *known = offset.max(*known);
    }

    /// What the broker says was committed, after a restart.
    pub fn committed_after_restart(&self, found: BTreeMap<i32, i64>) {
        let mut notes = self.notes();
        for (partition, acknowledged) in notes.commits.clone() {
            let found = found.get(&partition).copied().unwrap_or(-1);
            if found < acknowledged {
                notes.anomalies.push(Anomaly::CommitWentBack { partition, acknowledged, found });
            }
        }
    }

    /// All that is wrong.
    pub fn check(&self, log: &Log) -> Vec<Anomaly> {
        let notes = self.notes();
        let mut found = notes.anomalies.clone();
        found.extend(lost(&notes.acknowledged, log));
        found.extend(duplicates(&notes.idempotent, log));
        for (partition, records) in log {
            found.extend(reordered(*partition, records));
            found.extend(gaps(*partition, records));
        }
        found
    }
}

fn lost(acknowledged: &[(i32, i64, String)], log: &Log) -> Vec<Anomaly> {
    acknowledged
        .iter()
        .filter(|(partition, offset, name)| {
            log.get(partition).and_then(|records| records.get(offset)) != Some(name)
        })
        .map(|(partition, offset, name)| Anomaly::Lost {
            partition: *partition,
            offset: *offset,
            name: name.clone(),
        })
        .collect()
}

fn duplicates(idempotent: &BTreeSet<String>, log: &Log) -> Vec<Anomaly> {
    let mut seen = BTreeSet::new();
    log.values()
        .flat_map(BTreeMap::values)
        .filter(|name| idempotent.contains(producer_and_number(name).0))
        .filter(|name| !seen.insert((*name).clone()))
        .map(|name| Anomaly::Duplicate { name: name.clone() })
        .collect()
}

/// A value that comes again (a plain producer's retry) is no reordering; one that comes first after a later one is.
fn reordered(partition: i32, records: &BTreeMap<i64, String>) -> Vec<Anomaly> {
    let mut last: BTreeMap<&str, (u64, &String)> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for name in records.values().filter(|name| seen.insert(*name)) {
        let (producer, number) = producer_and_number(name);
        match last.get(producer) {
            Some((highest, before)) if *highest > number => {
                found.push(Anomaly::Reordered { partition, before: (*before).clone(), after: name.clone() });
            }
            _ => {
                last.insert(producer, (number, name));
            }
        }
    }
    found
}

fn gaps(partition: i32, records: &BTreeMap<i64, String>) -> Vec<Anomaly> {
    let expected = records.keys().next().copied().unwrap_or(0)..;
    expected
        .zip(records.keys())
        .find(|(expected, offset)| expected != *offset)
        .map(|(offset, _)| Anomaly::Gap { partition, offset })
        .into_iter()
        .collect()
}

fn producer_and_number(name: &str) -> (&str, u64) {
    let (producer, number) = name.split_once(':').expect("producer:number");
    (producer, number.parse().expect("a number"))
}

/// A checker that never found anything proves nothing: each anomaly, made by hand.
mod tests {
    use super::*;

    fn log(names: &[&str]) -> Log {
        BTreeMap::from([(0, (0..).zip(names.iter().map(|name| name.to_string())).collect())])
    }

    fn history(acknowledged: &[(i64, &str)]) -> History {
        let history = History::default();
        history.idempotent_producer("p");
        for (offset, name) in acknowledged {
            history.acknowledged(0, *offset, name.to_string());
        }
        history
    }

    #[test]
    fn a_good_history_is_good() {
        let history = history(&[(0, "p:0"), (2, "p:1")]);
        history.commit_acknowledged(0, 2);
        history.committed_after_restart(BTreeMap::from([(0, 2)]));
        assert_eq!(history.check(&log(&["p:0", "q:0", "p:1"])), []);
    }

    #[test]
    fn a_lost_record_is_found() {
        let lost = |offset, name: &str| Anomaly::Lost { partition: 0, offset, name: name.to_owned() };
        assert_eq!(history(&[(1, "p:1")]).check(&log(&["p:0"])), [lost(1, "p:1")]);
        assert_eq!(
            history(&[(0, "p:1")]).check(&log(&["p:0"])),
            [lost(0, "p:1")],
            "another one stands there"
        );
    }

    #[test]
    fn a_duplicate_of_an_idempotent_producer_is_found() {
        let found = history(&[]).check(&log(&["p:0", "p:1", "p:0"]));
        assert_eq!(found, [Anomaly::Duplicate { name: "p:0".to_owned() }]);
        assert_eq!(history(&[]).check(&log(&["q:0", "q:1", "q:0"])), [], "q may repeat itself");
    }

    #[test]
    fn a_reordering_is_found() {
        let found = history(&[]).check(&log(&["p:1", "p:0"]));
        let expected = Anomaly::Reordered { partition: 0, before: "p:1".to_owned(), after: "p:0".to_owned() };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_gap_is_found() {
        let mut log = log(&["p:0", "p:1", "p:2"]);
        log.get_mut(&0).expect("partition 0").remove(&1);
        assert_eq!(history(&[]).check(&log), [Anomaly::Gap { partition: 0, offset: 1 }]);
    }

    #[test]
    fn a_commit_that_went_back_is_found() {
        let history = history(&[]);
        history.commit_acknowledged(0, 5);
        history.commit_acknowledged(0, 4);
        history.committed_after_restart(BTreeMap::from([(0, 4)]));
        let expected = Anomaly::CommitWentBack { partition: 0, acknowledged: 5, found: 4 };
        assert_eq!(history.check(&log(&[])), [expected]);
    }
}
