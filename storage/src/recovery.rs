//! Opening a log: settle what a crash left behind, check what may be damaged, rebuild what can be derived.
//!
//! After a proper close nothing is scanned but the end of the last segment. After a crash every segment from the one
//! that holds the recovery point on is read and cut at the first batch that is not whole and intact. Indexes,
//! producers and epochs are hints and caches of the batches: missing or damaged, they are made again.

mod leftovers;

use crate::{
    batch::{Batch, Header},
    disk::{Disk, Wait, read_whole},
    epochs::Epochs,
    format::{EPOCH_CHECKPOINT, file_name, parse_name, suffix},
    log::{Hints, LogConfig, LogError, Parts, Recovery},
    producer_state::{Marker, ProducerState, snapshot},
    segment::{Located, Segment},
};
use std::{
    io::{self, IoSlice},
    path::Path,
};

/// Opens the log in `dir`; makes the folder when there is none.
pub(crate) fn open(
    disk: &dyn Disk,
    dir: &Path,
    config: &LogConfig,
    hints: &Hints,
) -> Result<(Parts, Recovery), LogError> {
    let names = leftovers::settle(disk, dir, list_or_make(disk, dir)?)?;
    let bases = bases_of(&names, suffix::LOG);
    leftovers::remove_orphans(disk, dir, &names, &bases)?;
    let mut opening = Opening { disk, dir, config, hints, report: Recovery::default(), recovered_from: None };
    let mut segments = opening.segments(&bases)?;
    let end_offset = segments.last().map_or(hints.log_start_offset.max(0), |(_, end)| *end);
    let first_base = bases.first().copied().unwrap_or(end_offset);
    let start_offset = hints.log_start_offset.max(first_base);
    if start_offset > end_offset {
        return Ok((opening.reset(segments, start_offset)?, opening.report));
    }
    let segments: Vec<Segment> = segments.drain(..).map(|(segment, _)| segment).collect();
    let (epochs, epochs_saved) = opening.epochs(&segments, start_offset, end_offset)?;
    let producers = opening.producers(&segments, end_offset)?;
    let recovery_point =
        if hints.clean { end_offset } else { hints.recovery_point.clamp(start_offset, end_offset) };
    let parts = Parts { segments, start_offset, end_offset, recovery_point, producers, epochs, epochs_saved };
    Ok((parts, opening.report))
}

struct Opening<'a> {
    disk: &'a dyn Disk,
    dir: &'a Path,
    config: &'a LogConfig,
    hints: &'a Hints,
    report: Recovery,
    /// Base of the first segment that was read through.
    recovered_from: Option<i64>,
}

impl Opening<'_> {
    /// The segments with their end offsets, up to the first that had to be cut.
    fn segments(&mut self, bases: &[i64]) -> Result<Vec<(Segment, i64)>, LogError> {
        let mut segments = Vec::with_capacity(bases.len());
        for (at, &base) in bases.iter().enumerate() {
            let next_base = bases.get(at + 1).copied();
            // At the recovery point itself, the indexes of the segment before may not be durable.
            let synced = next_base.is_some_and(|next| next < self.hints.recovery_point);
            let loaded = match self.hints.clean || synced {
                true => Segment::load(self.disk, self.dir, base, next_base, self.hints.now_ms, self.config)?,
                false => None,
            };
            if let Some(loaded) = loaded {
                segments.push(loaded);
                continue;
            }
            let (segment, end, cut) = self.recover(base, next_base)?;
            segments.push((segment, end));
            if cut {
                self.remove_segments(&bases[at + 1..])?;
                break;
            }
        }
        Ok(segments)
    }

    /// Reads a segment through. The third value: was it cut, so that what follows it is void?
    fn recover(&mut self, base: i64, next_base: Option<i64>) -> Result<(Segment, i64, bool), LogError> {
        self.recovered_from.get_or_insert(base);
        let mut segment = Segment::empty(self.dir, base, self.hints.now_ms);
        let file = segment.file(self.disk)?;
        let path = segment.log_path().to_owned();
        let failed = |source| LogError::io(&path, source);
        let len = file.len().map_err(failed)?;
        let (mut end, interval) = (base, self.config.index_interval_bytes);
        let verified = crate::segment::verify(&*file, len, base, &mut |header| {
            segment.note(header, interval);
            end = header.last_offset() + 1;
        })
        .map_err(failed)?;
        self.report.scanned_bytes += len;
        self.report.rebuilt_indexes += 1;
        if verified.len < len {
            file.set_len(verified.len).map_err(failed)?;
        }
        if verified.has_damage {
            let lost = len - verified.len;
            self.report.truncated_bytes += lost;
            tracing::warn!(file = %path.display(), lost, end, "cut behind the last intact batch");
        }
        if next_base.is_some() {
            segment.seal(self.disk)?;
        }
        let gap = verified.len < len && next_base.is_some_and(|next| next != end);
        Ok((segment, end, verified.has_damage || gap))
    }

    fn remove_segments(&mut self, bases: &[i64]) -> Result<(), LogError> {
        for &base in bases {
            let segment = Segment::empty(self.dir, base, 0);
            let lost = self.disk.stat(segment.log_path()).map_or(0, |stat| stat.len);
            self.report.truncated_bytes += lost;
            tracing::warn!(file = %segment.log_path().display(), lost, "removed: what came before it is damaged");
            remove_all(self.disk, &segment)?;
        }
        Ok(())
    }

    /// The log start was checkpointed beyond what is left: nothing of it may be seen, and no offset used twice.
    fn reset(&mut self, segments: Vec<(Segment, i64)>, start_offset: i64) -> Result<Parts, LogError> {
        for (segment, _) in &segments {
            remove_all(self.disk, segment)?;
        }
        tracing::warn!(log = %self.dir.display(), start_offset, "the log starts beyond its end; it is empty now");
        let segment = Segment::empty(self.dir, start_offset, self.hints.now_ms);
        segment.make_file(self.disk)?;
        Ok(Parts {
            segments: vec![segment],
            start_offset,
            end_offset: start_offset,
            recovery_point: start_offset,
            producers: ProducerState::default(),
            epochs: Epochs::default(),
            epochs_saved: false,
        })
    }

    /// The leader epochs, and whether the checkpoint file holds just them.
    fn epochs(&self, segments: &[Segment], start: i64, end: i64) -> Result<(Epochs, bool), LogError> {
        let Some(first) = segments.first() else { return Ok((Epochs::default(), true)) };
        let loaded = Epochs::load(self.disk, &self.dir.join(EPOCH_CHECKPOINT))?;
        let is_loaded = loaded.is_some();
        let replay_from = if is_loaded { self.recovered_from } else { Some(first.base_offset) };
        let mut epochs = loaded.unwrap_or_default();
        epochs.cut_end(replay_from.unwrap_or(end).min(end));
        if let Some(from) = replay_from {
            replay(self.disk, segments, from, &mut |_, located| {
                epochs.note(located.header.leader_epoch, located.header.base_offset);
                Ok(())
            })?;
        }
        epochs.cut_start(start);
        let saved = is_loaded && epochs.version() == 0;
        Ok((epochs, saved))
    }

    fn producers(&self, segments: &[Segment], end: i64) -> Result<ProducerState, LogError> {
        if segments.is_empty() {
            return Ok(ProducerState::default());
        }
        let expiration = self.config.producer_id_expiration_ms;
        let producers = load_producers(self.disk, self.dir, segments, end, self.hints.now_ms, expiration)?;
        let path = self.dir.join(file_name(end, suffix::SNAPSHOT));
        let is_there = self.disk.stat(&path).is_ok();
        // Saves the next start the work; on a full disk it has to do it.
        if !is_there && let Err(error) = write_snapshot(self.disk, self.dir, end, &producers) {
            tracing::warn!(%error, "producer snapshot not written");
        }
        remove_stray_snapshots(self.disk, self.dir, segments, end)?;
        Ok(producers)
    }
}

impl Segment {
    /// A segment that was completed or closed properly. `None` when its files do not bear that out.
    fn load(
        disk: &dyn Disk,
        dir: &Path,
        base: i64,
        next_base: Option<i64>,
        now_ms: i64,
        config: &LogConfig,
    ) -> Result<Option<(Self, i64)>, LogError> {
        let mut segment = Self::empty(dir, base, now_ms);
        let stat =
            disk.stat(segment.log_path()).map_err(|source| LogError::io(segment.log_path(), source))?;
        segment.len = stat.len;
        segment.name_synced = true;
        if segment.len == 0 {
            return Ok(Some((segment, base)));
        }
        if !segment.load_indexes(disk, config)? {
            return Ok(None);
        }
        Ok(match next_base {
            Some(next) => Some((segment, next)),
            None => segment.load_end(disk)?.map(|end| (segment, end)),
        })
    }

    /// Are both indexes there and sane?
    fn load_indexes(&mut self, disk: &dyn Disk, config: &LogConfig) -> Result<bool, LogError> {
        let offsets = crate::index::Index::load(disk, &self.offsets.path);
        let times = crate::index::Index::load(disk, &self.times.path);
        let offsets = offsets.map_err(|source| LogError::io(&self.offsets.path, source))?;
        let times = times.map_err(|source| LogError::io(&self.times.path, source))?;
        let (Some(offsets), Some(times)) = (offsets, times) else { return Ok(false) };
        (self.offsets, self.times) = (offsets, times);
        let sane = self.indexes_are_sane(disk, config.index_interval_bytes)?;
        if let Some(entry) = self.times.last().filter(|_| sane) {
            self.largest.timestamp = entry.timestamp;
            self.largest.last_offset = self.base_offset + i64::from(entry.relative);
        }
        Ok(sane)
    }

    /// Where the last segment ends; `None` when its end is not a batch's.
    fn load_end(&mut self, disk: &dyn Disk) -> Result<Option<i64>, LogError> {
        let file = self.file(disk)?;
        let first = self.headers(&*file, 0).next()?;
        let start = self.offsets.last().map_or(0, |entry| u64::from(entry.position));
        let mut scan = self.headers(&*file, start);
        let mut end = None;
        let mut largest = self.largest;
        while let Some(located) = scan.next()? {
            let last_offset = located.header.last_offset();
            end = Some(last_offset + 1);
            if located.header.max_timestamp > largest.timestamp {
                largest = crate::segment::Largest { timestamp: located.header.max_timestamp, last_offset };
            }
        }
        let is_whole = scan.position() == self.len;
        self.first_timestamp = first.map(|located| located.header.max_timestamp);
        self.largest = largest;
        self.resume_entries();
        Ok(end.filter(|_| is_whole))
    }
}

/// Calls `visit` for every batch that ends at or after `from`.
fn replay(
    disk: &dyn Disk,
    segments: &[Segment],
    from: i64,
    visit: &mut dyn FnMut(&Segment, &Located) -> Result<(), LogError>,
) -> Result<(), LogError> {
    let first = segments.partition_point(|segment| segment.base_offset <= from).saturating_sub(1);
    for segment in &segments[first..] {
        let Some(start) = segment.find(disk, from, Wait::Block)? else { continue };
        let file = segment.file(disk)?;
        let mut scan = segment.headers(&*file, start.position);
        while let Some(located) = scan.next()? {
            visit(segment, &located)?;
        }
    }
    Ok(())
}

/// The producers at offset `end`: the newest snapshot that is intact, and the batches after it.
pub(crate) fn load_producers(
    disk: &dyn Disk,
    dir: &Path,
    segments: &[Segment],
    end: i64,
    now_ms: i64,
    expiration_ms: i64,
) -> Result<ProducerState, LogError> {
    let (from, mut producers) = newest_snapshot(disk, dir, end)?.unwrap_or_default();
    producers.expire(now_ms, expiration_ms);
    if from < end {
        replay(disk, segments, from, &mut |segment, located| {
            let marker = marker_of(disk, segment, located)?;
            producers.apply(&located.header, marker);
            Ok(())
        })?;
    }
    Ok(producers)
}

fn newest_snapshot(disk: &dyn Disk, dir: &Path, end: i64) -> Result<Option<(i64, ProducerState)>, LogError> {
    let names = disk.list(dir).map_err(|source| LogError::io(dir, source))?;
    for offset in bases_of(&names, suffix::SNAPSHOT).into_iter().rev().filter(|&offset| offset <= end) {
        let path = dir.join(file_name(offset, suffix::SNAPSHOT));
        let bytes = read_whole(disk, &path).map_err(|source| LogError::io(&path, source))?;
        if let Some(state) = bytes.and_then(|bytes| snapshot::decode(&bytes)) {
            return Ok(Some((offset, state)));
        }
        tracing::warn!(snapshot = %path.display(), "damaged; going on without it");
        disk.remove(&path).map_err(|source| LogError::io(&path, source))?;
    }
    Ok(None)
}

fn marker_of(disk: &dyn Disk, segment: &Segment, located: &Located) -> Result<Option<Marker>, LogError> {
    if !located.header.is_control() || !located.header.has_producer_id() {
        return Ok(None);
    }
    Ok(marker_in(&segment.read_batch(disk, located)?))
}

/// The transaction marker in the bytes of a control batch.
pub(crate) fn marker_in(bytes: &[u8]) -> Option<Marker> {
    let mut marker = None;
    let header = Header::parse(bytes)?;
    let read = Batch { bytes }.read_records(bytes.len(), &mut |record| {
        marker = Marker::parse(record.key.unwrap_or_default(), record.value.unwrap_or_default());
        false
    });
    // Compaction may have emptied the batch; then there is no record to read.
    if read.is_err() && header.record_count > 0 {
        return None;
    }
    marker
}

/// Writes the state of all producers at `offset`. Not synced: a checksum tells whether the file is whole.
pub(crate) fn write_snapshot(
    disk: &dyn Disk,
    dir: &Path,
    offset: i64,
    producers: &ProducerState,
) -> Result<(), LogError> {
    let path = dir.join(file_name(offset, suffix::SNAPSHOT));
    let bytes = snapshot::encode(producers);
    let write = || {
        let file = disk.open(&path, true)?;
        file.write_at(&[IoSlice::new(&bytes)], 0)?;
        file.set_len(bytes.len() as u64)
    };
    write().map_err(|source| LogError::io(&path, source))
}

/// Removes the snapshots that belong to no segment, except the one at the end.
pub(crate) fn remove_stray_snapshots(
    disk: &dyn Disk,
    dir: &Path,
    segments: &[Segment],
    end: i64,
) -> Result<(), LogError> {
    let names = disk.list(dir).map_err(|source| LogError::io(dir, source))?;
    for offset in bases_of(&names, suffix::SNAPSHOT) {
        let of_segment = segments.iter().any(|segment| segment.base_offset == offset);
        if !of_segment && offset != end {
            let path = dir.join(file_name(offset, suffix::SNAPSHOT));
            disk.remove(&path).map_err(|source| LogError::io(&path, source))?;
        }
    }
    Ok(())
}

fn list_or_make(disk: &dyn Disk, dir: &Path) -> Result<Vec<String>, LogError> {
    match disk.list(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            disk.make_dir(dir).map_err(|source| LogError::io(dir, source))?;
            Ok(Vec::new())
        }
        listed => listed.map_err(|source| LogError::io(dir, source)),
    }
}

/// Offsets of the files with this ending, rising.
fn bases_of(names: &[String], suffix: &str) -> Vec<i64> {
    let parse =
        |name: &String| parse_name(name).filter(|(_, ending)| *ending == suffix).map(|(base, _)| base);
    let mut bases: Vec<i64> = names.iter().filter_map(parse).collect();
    bases.sort_unstable();
    bases
}

fn remove_all(disk: &dyn Disk, segment: &Segment) -> Result<(), LogError> {
    for path in segment.paths() {
        disk.remove(&path).map_err(|source| LogError::io(&path, source))?;
    }
    Ok(())
}
