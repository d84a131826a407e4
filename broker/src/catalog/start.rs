//! From the records that were found to a catalog that can be served: what every start writes, if anything.

use super::{Catalog, CatalogError, Image, Keeping, store::Store};
use protocol_glue::records::metadata::{FeatureLevel, MetadataRecord};

/// The feature that says which record types and versions may be in the log.
const METADATA_VERSION: &str = "metadata.version";

/// What a new folder starts with (4.3-IV0): Kafka 4.4 opens it, and kafka-ui knows its name.
const NEW_METADATA_VERSION: i16 = 30;

/// The newest level whose records we can read (4.4).
pub(super) const MAX_METADATA_VERSION: i16 = 33;

/// Records in one batch at most: it stays well below what Kafka reads at once.
const MAX_BATCH_RECORDS: usize = 10_000;

/// Can this catalog be served by this release, on a node of its own?
pub(super) fn check(image: &Image) -> Result<(), CatalogError> {
    image.check_complete().map_err(CatalogError::Unsupported)?;
    image.settling_changes().map_err(CatalogError::Unsupported)?;
    let level = image.feature(METADATA_VERSION);
    if level > MAX_METADATA_VERSION {
        return Err(CatalogError::Unsupported(format!(
            "its metadata.version is {level}, and this release knows levels up to {MAX_METADATA_VERSION}"
        )));
    }
    Ok(())
}

/// Serves what was replayed and checked. `clean`: the process before us closed everything, so nobody can have seen a
/// batch that is gone now, and the leader epochs stay. After a crash each is raised by one, which is how clients and
/// tools notice a log that may have lost its end.
pub(super) fn start(
    store: Box<dyn Store>,
    image: Image,
    bootstrap: Vec<MetadataRecord>,
    clean: bool,
) -> Result<Catalog, CatalogError> {
    let records = start_records(&image, bootstrap, clean).map_err(CatalogError::Unsupported)?;
    let catalog = Catalog::new(Keeping::Open(store), image);
    for batch in records.chunks(MAX_BATCH_RECORDS) {
        catalog.change(|_| (batch.to_vec(), ()))?;
    }
    Ok(catalog)
}

/// What the log of a new folder begins with.
pub(super) fn new_folder_records() -> Vec<MetadataRecord> {
    let name = METADATA_VERSION.to_owned();
    vec![FeatureLevel { name, feature_level: NEW_METADATA_VERSION }.into()]
}

fn start_records(
    image: &Image,
    bootstrap: Vec<MetadataRecord>,
    clean: bool,
) -> Result<Vec<MetadataRecord>, String> {
    let mut records = Vec::new();
    if image.feature(METADATA_VERSION) == 0 {
        records.extend(bootstrap);
    }
    // Settling names a leader and so raises the epoch, too.
    records.extend(image.settling_changes()?.into_iter().map(MetadataRecord::from));
    if !clean {
        records.extend(raised_epochs(image));
    }
    Ok(records)
}

fn raised_epochs(image: &Image) -> impl Iterator<Item = MetadataRecord> {
    let local = image.local();
    image.topics.values().flat_map(move |topic| {
        (0..topic.partitions.len() as i32)
            .filter(|index| !image.is_unsettled(topic.id, *index))
            .map(move |index| local.take_over(topic.id, index).into())
    })
}
