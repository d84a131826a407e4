//! How many connections there may be: in all, by address, and how fast new ones come.

use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

/// Counts connections; hands out a [`Slot`] for each that may stay.
#[derive(Debug)]
pub struct ConnectionLimits {
    max: i32,
    max_per_ip: i32,
    overrides: BTreeMap<IpAddr, i32>,
    /// New connections a second; `i32::MAX` means no bound.
    max_rate: i32,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    all: i32,
    by_ip: HashMap<IpAddr, i32>,
    /// When the next connection is due at the allowed rate.
    next_due: Option<Instant>,
}

/// Why a connection is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("there are already {0} connections; raise max.connections if that is meant to be")]
    TooMany(i32),
    #[error("this address already has {0} connections; raise max.connections.per.ip if that is meant to be")]
    TooManyOfIp(i32),
}

/// A place among the connections; dropping it frees the place.
#[derive(Debug)]
pub struct Slot {
    limits: Arc<ConnectionLimits>,
    ip: IpAddr,
}

impl ConnectionLimits {
    pub fn new(max: i32, max_per_ip: i32, overrides: BTreeMap<IpAddr, i32>, max_rate: i32) -> Self {
        ConnectionLimits { max, max_per_ip, overrides, max_rate, counts: Mutex::default() }
    }

    /// Takes a place for a connection from `ip`.
    pub fn admit(self: &Arc<Self>, ip: IpAddr) -> Result<Slot, Refused> {
        let ip = ip.to_canonical();
        let mut counts = self.counts.lock();
        if counts.all >= self.max {
            return Err(Refused::TooMany(self.max));
        }
        let max_of_ip = self.overrides.get(&ip).copied().unwrap_or(self.max_per_ip);
        let of_ip = counts.by_ip.entry(ip).or_default();
        if *of_ip >= max_of_ip {
            return Err(Refused::TooManyOfIp(max_of_ip));
        }
        *of_ip += 1;
        counts.all += 1;
        Ok(Slot { limits: self.clone(), ip })
    }

    /// How long the listener pauses before it takes the next connection (`max.connection.creation.rate`).
    pub fn pause_before_next(&self, now: Instant) -> Duration {
        if self.max_rate == i32::MAX || self.max_rate <= 0 {
            return Duration::ZERO;
        }
        let gap = Duration::from_secs(1) / self.max_rate as u32;
        let mut counts = self.counts.lock();
        // A second's worth may come in a burst, as in Kafka's windows.
        let earliest = now.checked_sub(Duration::from_secs(1)).unwrap_or(now);
        let due = counts.next_due.map_or(earliest, |due| due.max(earliest));
        counts.next_due = Some(due + gap);
        due.saturating_duration_since(now)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut counts = self.limits.counts.lock();
        counts.all -= 1;
        if let Some(of_ip) = counts.by_ip.get_mut(&self.ip) {
            *of_ip -= 1;
            if *of_ip == 0 {
                counts.by_ip.remove(&self.ip);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(max: i32, per_ip: i32, rate: i32) -> Arc<ConnectionLimits> {
        let special = BTreeMap::from([("10.0.0.9".parse().expect("an address"), 3)]);
        Arc::new(ConnectionLimits::new(max, per_ip, special, rate))
    }

    #[test]
    fn over_max_connections_and_per_ip_are_refused_until_one_leaves() {
        let limits = limits(4, 1, i32::MAX);
        let a = limits.admit("10.0.0.1".parse().expect("an address")).expect("the first");
        assert_eq!(
            limits.admit("::ffff:10.0.0.1".parse().expect("an address")).unwrap_err(),
            Refused::TooManyOfIp(1)
        );
        drop(a);
        let _a = limits.admit("10.0.0.1".parse().expect("an address")).expect("room again");
        let special = "10.0.0.9".parse().expect("an address");
        let _many: Vec<_> = (0..3).map(|_| limits.admit(special).expect("the override is 3")).collect();
        assert_eq!(limits.admit("10.0.0.2".parse().expect("an address")).unwrap_err(), Refused::TooMany(4));
    }

    #[test]
    fn the_creation_rate_spreads_connections_after_a_burst() {
        let limits = limits(100, 100, 10);
        let now = Instant::now();
        let pauses: Vec<_> = (0..15).map(|_| limits.pause_before_next(now)).collect();
        assert_eq!(pauses[9], Duration::ZERO, "a second's worth comes at once");
        assert_eq!(pauses[14], Duration::from_millis(400));
    }
}
