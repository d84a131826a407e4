//! When and how the log starts a new segment.

use super::{AppendError, Log, LogError, full_or_failed};
use crate::{batch::Header, segment::Segment};
use std::hash::{DefaultHasher, Hash, Hasher};

impl Log {
    /// Starts a new segment when the batch may not go into the active one.
    pub(crate) fn roll_if_due(&mut self, header: &Header, now_ms: i64) -> Result<(), AppendError> {
        let due = match self.segments.last() {
            None => true,
            Some(active) => self.is_due(active, header, now_ms),
        };
        if due {
            self.roll(now_ms).map_err(full_or_failed)?;
        }
        Ok(())
    }

    fn is_due(&self, active: &Segment, header: &Header, now_ms: i64) -> bool {
        let config = &self.config;
        active.len + header.byte_len() > u64::from(config.segment_bytes)
            || active.len > 0 && self.is_old(active, header.max_timestamp, now_ms)
            || active.index_is_full(config.segment_index_bytes)
            || header.last_offset() - active.base_offset > i64::from(i32::MAX)
    }

    /// Age counts from the first batch to this one, by the clock only while there is no timestamp to go by.
    fn is_old(&self, active: &Segment, timestamp: i64, now_ms: i64) -> bool {
        let age = match active.first_timestamp {
            Some(first) if first >= 0 => timestamp.saturating_sub(first),
            _ => now_ms.saturating_sub(active.created_ms),
        };
        let most = match self.config.compact {
            true => self.config.segment_ms.min(self.config.max_compaction_lag_ms),
            false => self.config.segment_ms,
        };
        age > most.saturating_sub(self.jitter_ms(active.base_offset, most))
    }

    /// Spreads the rolls of many logs. Depends on log and segment alone, so it needs no source of chance.
    fn jitter_ms(&self, base_offset: i64, segment_ms: i64) -> i64 {
        let range = self.config.segment_jitter_ms.min(segment_ms);
        if range <= 0 {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        (&self.dir, base_offset).hash(&mut hasher);
        (hasher.finish() % range as u64) as i64
    }

    /// Completes the active segment and starts one at the end offset. May be repeated after a failure: the log
    /// changes only when all is done.
    pub(crate) fn roll(&mut self, now_ms: i64) -> Result<(), LogError> {
        if let Some(active) = self.segments.last_mut() {
            if active.base_offset == self.end_offset {
                return Ok(());
            }
            active.seal(&*self.disk)?;
            self.write_snapshot()?;
        }
        let next = Segment::empty(&self.dir, self.end_offset, now_ms);
        let file = next.make_file(&*self.disk)?;
        let len = if self.config.preallocate { u64::from(self.config.segment_bytes) } else { 0 };
        file.set_len(len).map_err(|source| LogError::io(next.log_path(), source))?;
        self.segments.push(next);
        self.changed = true;
        Ok(())
    }
}

#[cfg(test)]
impl Log {
    pub(crate) fn jitter_for_tests(&self, base_offset: i64) -> i64 {
        self.jitter_ms(base_offset, self.config.segment_ms)
    }
}
