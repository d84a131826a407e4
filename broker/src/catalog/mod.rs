//! The catalog: which topics there are, their ids, partitions and settings, the finalized features, our registration.
//!
//! It is Kafka's cluster metadata: records in `__cluster_metadata-0`, replayed at start-up into an [`Image`] that is
//! published whole. Every change goes the same way: decide on the present image, make records, append and sync them,
//! apply them, publish. What is not here: the partitions' logs, which [`Topics`] keeps in step.

mod assignment;
pub mod create;
pub mod delete;
mod founding;
pub mod grow;
mod host;
mod image;
mod journal;
pub mod names;
mod quorum_state;
mod refusal;
mod registration;
mod snapshot_file;
mod start;
mod store;
mod topics;
mod versions;

pub use host::PartitionHost;
pub use image::{Image, PartitionState, Topic};
pub use refusal::Refusal;
pub use registration::Registration;
pub use store::CatalogError;
pub use topics::{ConfigChange, Settings, Topics};

use crate::data_dir::DataDir;
use arc_swap::ArcSwap;
use image::Local;
use journal::Journal;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use protocol_glue::records::metadata::MetadataRecord;
use std::sync::Arc;
use storage::disk::Disk;
use store::Store;
use tokio::sync::watch;

/// How many producer ids are given out at a time; Kafka's number.
const PRODUCER_ID_BLOCK_LEN: i32 = 1000;

/// The catalog of this node. Reading is free of locks; changes are one at a time and wait for the disk.
pub struct Catalog {
    image: ArcSwap<Image>,
    store: Mutex<Keeping>,
    /// Why the metadata log can no longer be written; set once.
    failure: watch::Sender<Option<Arc<str>>>,
}

/// Where the records go.
enum Keeping {
    /// There is nothing on the disk yet: see [`founding`].
    Founding(founding::Found),
    Open(Box<dyn Store>),
}

impl Catalog {
    fn new(keeping: Keeping, image: Image) -> Catalog {
        Catalog {
            image: ArcSwap::from_pointee(image),
            store: Mutex::new(keeping),
            failure: watch::Sender::new(None),
        }
    }

    pub fn image(&self) -> Arc<Image> {
        self.image.load_full()
    }

    /// Opens the catalog in a data folder: replays it, and writes what every start has to write, if anything.
    pub fn open(disk: Arc<dyn Disk>, data_dir: &DataDir, node_id: i32) -> Result<Catalog, CatalogError> {
        let mut image = Image::new(Local { node_id, directory_id: data_dir.directory_id() });
        let (mut journal, bootstrap) =
            Journal::open(disk, data_dir, node_id, |record, offset| image.apply(record, offset))?;
        // Everything that can refuse the folder comes before the first change to it.
        start::check(&image)?;
        data_dir.begin_changes().map_err(journal::from_data_dir)?;
        journal.lead()?;
        start::start(Box::new(journal), image, bootstrap, data_dir.clean_shutdown().is_some())
    }

    /// Makes a change: `decide` sees the present image and says what to write and what to answer. When this returns,
    /// the records are durable and the new image is published. No record, no change.
    ///
    /// Waits for the disk: not for a runtime thread. A full disk, or a change that is too large, refuses this change
    /// only. Any other error means that the process must stop, see [`Catalog::failed`]; every later change is refused.
    pub fn change<T>(
        &self,
        decide: impl FnOnce(&Image) -> (Vec<MetadataRecord>, T),
    ) -> Result<T, CatalogError> {
        self.change_at(|image, _| decide(image))
    }

    /// As [`Catalog::change`]; `decide` also gets the offset of its first record.
    fn change_at<T>(
        &self,
        decide: impl FnOnce(&Image, i64) -> (Vec<MetadataRecord>, T),
    ) -> Result<T, CatalogError> {
        let mut store = self.store()?;
        let image = self.image.load_full();
        let (records, answer) = decide(&image, store.end_offset());
        if records.is_empty() {
            return Ok(answer);
        }
        let next = self.write(&mut **store, &image, &records).inspect_err(|error| {
            if !error.is_passing() {
                self.failure.send_replace(Some(error.to_string().into()));
            }
        })?;
        self.image.store(Arc::new(next));
        self.snapshot_when_due(&mut **store, false);
        Ok(answer)
    }

    /// The store, for as long as nobody else changes anything; refused once something failed.
    fn store(&self) -> Result<MappedMutexGuard<'_, Box<dyn Store>>, CatalogError> {
        let mut keeping = self.store.lock();
        if let Some(why) = &*self.failure.borrow() {
            return Err(CatalogError::FailedBefore(Arc::clone(why)));
        }
        if let Keeping::Founding(found) = &mut *keeping {
            let founded = found().inspect_err(|error| {
                self.failure.send_replace(Some(error.to_string().into()));
            })?;
            self.image.store(founded.image.into_inner());
            *keeping = founded.store.into_inner();
        }
        Ok(MutexGuard::map(keeping, |keeping| match keeping {
            Keeping::Open(store) => store,
            Keeping::Founding(_) => unreachable!("founding leaves an open store"),
        }))
    }

    /// The records are applied before they are written: what cannot be applied must never be in the log.
    fn write(
        &self,
        store: &mut dyn Store,
        image: &Image,
        records: &[MetadataRecord],
    ) -> Result<Image, CatalogError> {
        let mut next = image.clone();
        for (offset, record) in (store.end_offset()..).zip(records) {
            next.apply(record, offset).expect("we only decide on records that fit the image");
        }
        store.append(&versions::write_all(records))?;
        Ok(next)
    }

    /// A snapshot only makes the next start shorter, so that one that fails is tried again later.
    fn snapshot_when_due(&self, store: &mut dyn Store, closing: bool) {
        if !store.snapshot_due(closing) {
            return;
        }
        let records = versions::write_all(&self.image.load().to_records());
        if let Err(error) = store.snapshot(&records) {
            tracing::error!(%error, "the metadata snapshot was not written");
        }
    }

    /// Waits until the metadata log cannot be written any more, and tells why. The process must stop then: nothing
    /// that clients were told after that would be true after a restart.
    pub async fn failed(&self) -> Arc<str> {
        let mut failure = self.failure.subscribe();
        loop {
            if let Some(why) = failure.borrow_and_update().clone() {
                return why;
            }
            failure.changed().await.expect("the sender lives as long as the catalog");
        }
    }

    /// Gives out producer ids that were never given out before: the first one and how many. Waits for the disk.
    pub fn next_producer_id_block(&self) -> Result<(i64, i32), CatalogError> {
        self.change(|image| {
            let first = image.next_producer_id;
            let record = image.producer_ids(first + i64::from(PRODUCER_ID_BLOCK_LEN));
            (vec![record.into()], (first, PRODUCER_ID_BLOCK_LEN))
        })
    }

    /// Closes the metadata log properly; returns our broker epoch for the note of the clean shutdown. Later changes
    /// are refused. Waits for the disk.
    pub fn close(&self) -> Result<i64, CatalogError> {
        let mut store = self.store()?;
        self.snapshot_when_due(&mut **store, true);
        std::mem::replace(&mut *store, Box::new(store::Closed)).close()?;
        let image = self.image.load();
        Ok(image.brokers.get(&image.local().node_id).map_or(-1, |broker| broker.broker_epoch))
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
