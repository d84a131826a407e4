//! What a crash may leave in a folder: half-built files, files that wait for their deletion, and replacements that
//! were complete but not in place.

use crate::{
    disk::Disk,
    format::{file_name, parse_name, suffix},
    log::LogError,
    segment::verify,
};
use std::path::Path;

const FILES_OF_A_SEGMENT: [&str; 4] = [suffix::LOG, suffix::INDEX, suffix::TIME_INDEX, suffix::TXN_INDEX];

/// Removes what is void and completes what was complete; returns the names that are left.
pub(crate) fn settle(disk: &dyn Disk, dir: &Path, names: Vec<String>) -> Result<Vec<String>, LogError> {
    let is_leftover = |name: &String| {
        [suffix::DELETED, suffix::CLEANED, suffix::SWAP, suffix::TEMPORARY]
            .iter()
            .any(|ending| name.ends_with(ending))
    };
    if !names.iter().any(is_leftover) {
        return Ok(names);
    }
    // A split that was not finished: its replacements are void, the originals are still there.
    let void_from = offsets(&names, suffix::CLEANED).min();
    let is_void_swap = |name: &String| {
        let base = swap_base(name);
        void_from.is_some_and(|from| base.is_some_and(|base| base >= from))
    };
    for name in &names {
        let is_void =
            [suffix::DELETED, suffix::CLEANED, suffix::TEMPORARY].iter().any(|ending| name.ends_with(ending));
        if is_void || is_void_swap(name) {
            remove(disk, dir, name)?;
        }
    }
    let complete = names.iter().filter(|name| name.ends_with(".log.swap") && !is_void_swap(name));
    for base in complete.filter_map(|name| swap_base(name)) {
        finish_swap(disk, dir, base)?;
    }
    let names = list(disk, dir)?;
    // Indexes whose log was swapped in before the crash came over them are rebuilt if need be.
    for name in names.iter().filter(|name| name.ends_with(suffix::SWAP)) {
        remove(disk, dir, name)?;
    }
    list(disk, dir)
}

/// Removes indexes without a log.
pub(crate) fn remove_orphans(
    disk: &dyn Disk,
    dir: &Path,
    names: &[String],
    bases: &[i64],
) -> Result<(), LogError> {
    for name in names {
        let Some((base, ending)) = parse_name(name) else { continue };
        let is_index = FILES_OF_A_SEGMENT[1..].contains(&ending);
        if is_index && bases.binary_search(&base).is_err() {
            remove(disk, dir, name)?;
        }
    }
    Ok(())
}

/// Puts the replacement in place of all segments whose base lies in its range.
fn finish_swap(disk: &dyn Disk, dir: &Path, base: i64) -> Result<(), LogError> {
    let swap = dir.join(format!("{}{}", file_name(base, suffix::LOG), suffix::SWAP));
    let failed = |source| LogError::io(&swap, source);
    let file = disk.open(&swap, false).map_err(failed)?;
    let mut next = base;
    let len = file.len().map_err(failed)?;
    verify(&*file, len, base, &mut |header| next = header.last_offset() + 1).map_err(failed)?;
    for name in list(disk, dir)? {
        let replaced = parse_name(&name).is_some_and(|(offset, ending)| {
            FILES_OF_A_SEGMENT.contains(&ending) && (base..next.max(base + 1)).contains(&offset)
        });
        if replaced {
            remove(disk, dir, &name)?;
        }
    }
    for ending in FILES_OF_A_SEGMENT {
        let to = dir.join(file_name(base, ending));
        let from = dir.join(format!("{}{}", file_name(base, ending), suffix::SWAP));
        if disk.stat(&from).is_ok() {
            disk.rename(&from, &to).map_err(|source| LogError::io(&from, source))?;
        }
    }
    Ok(())
}

fn swap_base(name: &str) -> Option<i64> {
    let (base, ending) = parse_name(name)?;
    ending.ends_with(suffix::SWAP).then_some(base)
}

fn offsets<'a>(names: &'a [String], ending: &'a str) -> impl Iterator<Item = i64> + 'a {
    names.iter().filter(move |name| name.ends_with(ending)).filter_map(|name| Some(parse_name(name)?.0))
}

fn list(disk: &dyn Disk, dir: &Path) -> Result<Vec<String>, LogError> {
    disk.list(dir).map_err(|source| LogError::io(dir, source))
}

fn remove(disk: &dyn Disk, dir: &Path, name: &str) -> Result<(), LogError> {
    let path = dir.join(name);
    disk.remove(&path).map_err(|source| LogError::io(&path, source))
}
