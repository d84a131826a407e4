//! The first start on an empty folder. What the metadata log will begin with is known before it is written, so clients
//! are served at once, and the disk is waited for by the first change only: until then nobody was promised anything.
//!
//! A process that dies before that leaves a folder with an identity and an empty or half-made log, as it always could;
//! the next start completes it.

use super::{
    Catalog, CatalogError, Image, Keeping,
    image::Local,
    journal::{self, FIRST_RECORD_OFFSET},
    start::new_folder_records,
};
use crate::data_dir::DataDir;
use std::sync::Arc;
use storage::disk::Disk;

/// Makes the log; returns the catalog that is on the disk then.
pub(super) type Found = Box<dyn FnMut() -> Result<Catalog, CatalogError> + Send>;

impl Catalog {
    /// The catalog of a folder that was empty a moment ago. The first change, or [`Catalog::close`], makes its log.
    pub fn found(disk: Arc<dyn Disk>, data_dir: Arc<DataDir>, node_id: i32) -> Catalog {
        let mut image = Image::new(Local { node_id, directory_id: data_dir.directory_id() });
        for (offset, record) in (FIRST_RECORD_OFFSET..).zip(new_folder_records()) {
            image.apply(&record, offset).expect("a new folder's records fit an empty image");
        }
        let found = move || {
            data_dir.make_identity_durable().map_err(journal::from_data_dir)?;
            Catalog::open(disk.clone(), &data_dir, node_id)
        };
        Catalog::new(Keeping::Founding(Box::new(found)), image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol_glue::records::metadata::FeatureLevel;
    use std::{fs, path::Path};
    use storage::disk::RealDisk;

    fn start(path: &Path) -> Catalog {
        let data_dir = DataDir::open(path, None, 1).expect("opens");
        assert!(data_dir.is_new());
        Catalog::found(Arc::new(RealDisk), Arc::new(data_dir), 1)
    }

    fn feature(name: &str) -> FeatureLevel {
        FeatureLevel { name: name.to_owned(), feature_level: 1 }
    }

    #[test]
    fn what_is_served_at_once_is_what_the_log_then_says() {
        let root = tempfile::tempdir().expect("a folder");
        let catalog = start(root.path());
        let served = catalog.image();
        assert!(!root.path().join(journal::FOLDER).exists(), "nothing was waited for");
        catalog.change(|_| (Vec::new(), ())).expect("the log is made");
        assert_eq!(*catalog.image(), *served);
        assert!(root.path().join(journal::FOLDER).exists());
    }

    #[test]
    fn the_first_change_is_on_the_disk_when_it_returns() {
        let root = tempfile::tempdir().expect("a folder");
        let catalog = start(root.path());
        catalog.change(|_| (vec![feature("x").into()], ())).expect("writes");
        let image = catalog.image();
        drop(catalog);
        let data_dir = DataDir::open(root.path(), None, 1).expect("opens");
        assert!(!data_dir.is_new());
        let again = Catalog::open(Arc::new(RealDisk), &data_dir, 1).expect("opens");
        assert_eq!(*again.image(), *image);
    }

    #[test]
    fn a_folder_that_was_never_changed_is_complete_after_a_clean_stop_and_usable_after_a_crash() {
        for clean in [true, false] {
            let root = tempfile::tempdir().expect("a folder");
            let catalog = start(root.path());
            if clean {
                catalog.close().expect("closes");
            }
            drop(catalog);
            let data_dir = DataDir::open(root.path(), None, 1).expect("opens");
            let again = Catalog::open(Arc::new(RealDisk), &data_dir, 1).expect("opens");
            assert_eq!(again.image().feature("metadata.version"), 30, "clean: {clean}");
        }
    }

    #[test]
    fn a_log_that_cannot_be_made_stops_the_process() {
        let root = tempfile::tempdir().expect("a folder");
        let catalog = start(root.path());
        fs::write(root.path().join(journal::FOLDER), "a file in the way").expect("writes");
        catalog.change(|_| (Vec::new(), ())).expect_err("refused");
        assert!(catalog.failure.borrow().is_some());
        catalog.change(|_| (Vec::new(), ())).expect_err("refused for good");
    }
}
