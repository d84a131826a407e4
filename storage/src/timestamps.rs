//! Finding records by time.
//!
//! The time index leads to a batch; the record is found by looking into it, compressed or not (KIP-79, KIP-734).
//! Records below the log start are passed over.

use crate::{
    batch::Batch,
    disk::Wait,
    log::{Log, LogError},
    segment::{Located, Segment, is_readable},
};

/// A record found by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub offset: i64,
    pub timestamp: i64,
    /// Leader epoch of the batch it was found in.
    pub leader_epoch: i32,
}

impl Log {
    /// First record at or after `timestamp`.
    pub fn find_timestamp(&self, timestamp: i64) -> Result<Option<Found>, LogError> {
        for segment in self.segments.iter().filter(|segment| segment.largest.timestamp >= timestamp) {
            if let Some(found) = self.find_in_segment(segment, timestamp)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// First record that carries the largest timestamp; `None` when no record carries any.
    pub fn find_max_timestamp(&self) -> Result<Option<Found>, LogError> {
        let mut best: Option<(i64, &Segment)> = None;
        for segment in &self.segments {
            let timestamp = self.largest_visible(segment)?;
            if timestamp >= 0 && best.is_none_or(|(largest, _)| timestamp > largest) {
                best = Some((timestamp, segment));
            }
        }
        match best {
            Some((timestamp, segment)) => self.find_in_segment(segment, timestamp),
            None => Ok(None),
        }
    }

    /// The largest timestamp of a segment at or after the log start.
    fn largest_visible(&self, segment: &Segment) -> Result<i64, LogError> {
        if segment.base_offset >= self.start_offset() || segment.len == 0 {
            return Ok(segment.largest.timestamp);
        }
        // Records were cut off its front, and the largest may be one of them.
        let Some(first) = segment.find(&*self.disk, self.start_offset(), Wait::Block)? else { return Ok(-1) };
        let mut largest = -1;
        if first.header.base_offset < self.start_offset() {
            self.visit_records(segment, &first, &mut |_, timestamp| {
                largest = largest.max(timestamp);
                true
            })?;
        } else {
            largest = first.header.max_timestamp;
        }
        let file = segment.file(&*self.disk)?;
        let mut rest = segment.headers(&*file, first.end());
        while let Some(located) = rest.next()? {
            largest = largest.max(located.header.max_timestamp);
        }
        Ok(largest)
    }

    fn find_in_segment(&self, segment: &Segment, timestamp: i64) -> Result<Option<Found>, LogError> {
        if segment.len == 0 {
            return Ok(None);
        }
        // Held, so that the steps below do not open it again.
        let file = segment.file(&*self.disk)?;
        let from = self.time_hint(segment, timestamp)?.max(self.start_offset());
        let Some(first) = segment.find(&*self.disk, from, Wait::Block)? else { return Ok(None) };
        let mut scan = segment.headers(&*file, first.position);
        while let Some(located) = scan.next()? {
            // An emptied batch (after compaction) has a header and no record.
            if located.header.max_timestamp < timestamp || located.header.record_count < 1 {
                continue;
            }
            if let Some(found) = self.find_in_batch(segment, &located, timestamp)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// An offset before which nothing has the timestamp.
    fn time_hint(&self, segment: &Segment, timestamp: i64) -> Result<i64, LogError> {
        let floor = segment.times.floor(&*self.disk, Wait::Block, |entry| entry.timestamp <= timestamp);
        let entry = match floor {
            Ok(Some(entry)) => entry,
            Ok(None) => return Ok(segment.base_offset),
            Err(error) => {
                segment.distrust(&error);
                return Ok(segment.base_offset);
            }
        };
        if segment.carries(&*self.disk, entry)? {
            return Ok(segment.base_offset + i64::from(entry.relative));
        }
        segment.distrust(&"a time entry speaks of no batch");
        Ok(segment.base_offset)
    }

    fn find_in_batch(
        &self,
        segment: &Segment,
        located: &Located,
        timestamp: i64,
    ) -> Result<Option<Found>, LogError> {
        let mut found = None;
        self.visit_records(segment, located, &mut |offset, at| {
            if at >= timestamp {
                found = Some(Found { offset, timestamp: at, leader_epoch: located.header.leader_epoch });
            }
            found.is_none()
        })?;
        Ok(found)
    }

    /// Offsets and timestamps of the visible records of a batch, as long as `visit` wants more.
    fn visit_records(
        &self,
        segment: &Segment,
        located: &Located,
        visit: &mut dyn FnMut(i64, i64) -> bool,
    ) -> Result<(), LogError> {
        if !is_readable(&located.header) {
            return Err(segment.damaged(format!("unknown codec in the batch at {}", located.position)));
        }
        let bytes = segment.read_batch(&*self.disk, located)?;
        let limit = self.config().max_decompressed_bytes.max(0) as usize;
        let start = self.start_offset();
        Batch { bytes: &bytes }
            .read_records(limit, &mut |record| {
                record.offset < start || visit(record.offset, record.timestamp)
            })
            .map_err(|fault| segment.damaged(format!("the batch at {}: {fault}", located.position)))
    }
}
