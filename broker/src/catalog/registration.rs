//! This broker's entry in its own catalog: where it listens and what it can do.

use super::{Catalog, CatalogError, image::Image, start::MAX_METADATA_VERSION};
use crate::data_dir::kafka_id;
use protocol_glue::records::metadata::{BrokerEndpoint, BrokerFeature, RegisterBroker};

/// What a broker says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Registration {
    /// As advertised; port 0 replaced by the one that was bound.
    pub end_points: Vec<BrokerEndpoint>,
    pub rack: Option<String>,
}

/// The oldest metadata level that a Kafka 4 broker supports (3.3-IV3).
const MIN_METADATA_VERSION: i16 = 7;

impl Catalog {
    /// Registers this broker unless the catalog already says the same. A restart that changes nothing keeps the
    /// incarnation, and with it the broker epoch: no other process ever talks to this node as a fellow broker.
    /// Waits for the disk.
    pub fn register(&self, registration: Registration) -> Result<(), CatalogError> {
        self.change_at(|image, offset| {
            let wanted = record(image, registration, offset);
            let same = image.brokers.get(&wanted.broker_id).is_some_and(|present| is_same(present, &wanted));
            (if same { Vec::new() } else { vec![wanted.into()] }, ())
        })
    }
}

fn record(image: &Image, registration: Registration, offset: i64) -> RegisterBroker {
    let local = image.local();
    RegisterBroker {
        broker_id: local.node_id,
        incarnation_id: kafka_id::random(),
        broker_epoch: offset,
        end_points: registration.end_points,
        features: vec![BrokerFeature {
            name: "metadata.version".to_owned(),
            min_supported_version: MIN_METADATA_VERSION,
            max_supported_version: MAX_METADATA_VERSION,
        }],
        rack: registration.rack,
        fenced: false,
        log_dirs: vec![local.directory_id],
        ..RegisterBroker::default()
    }
}

/// Do they differ in what each registration has anew, only?
fn is_same(present: &RegisterBroker, wanted: &RegisterBroker) -> bool {
    let wanted = RegisterBroker {
        incarnation_id: present.incarnation_id,
        broker_epoch: present.broker_epoch,
        ..wanted.clone()
    };
    *present == wanted
}
