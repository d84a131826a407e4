//! Records of `__cluster_metadata`: their frame and the list of types.
//!
//! A record's value is the frame version, the type, the version (each an unsigned varint) and the fields in the
//! flexible format; it has no key. Control batches of the same log are in [`super::control`].

mod schema;

use bytes::{Bytes, BytesMut};

use super::Message;
use crate::DecodeError;
use crate::wire::{put_varint, take_varint};
pub use schema::*;

const FRAME_VERSION: u32 = 1;

macro_rules! metadata_records {
    ($($key:literal => $name:ident,)+) => {
        /// A record of the cluster metadata.
        #[derive(Debug, Clone, PartialEq)]
        pub enum MetadataRecord {$(
            $name($name),
        )+}

        impl MetadataRecord {
            /// The number of the record's type in the log.
            pub fn key(&self) -> u32 {
                match self {$( Self::$name(_) => $key, )+}
            }

            /// The latest version of the record's type.
            pub fn latest_version(&self) -> i16 {
                match self {$( Self::$name(_) => *$name::VERSIONS.end(), )+}
            }

            fn encode(&self, version: i16, out: &mut BytesMut) {
                match self {$( Self::$name(record) => record.encode(version, out), )+}
            }

            fn decode(key: u32, version: i16, body: &mut Bytes) -> Result<Self, DecodeError> {
                match key {
                    $( $key => $name::decode(version, body).map(Self::$name), )+
                    _ => Err(DecodeError::UnknownKey { what: "metadata record type", key: key.into() }),
                }
            }

            #[cfg(test)]
            pub(super) fn one_of_each() -> Vec<Self> {
                vec![$( Self::$name($name::default()), )+]
            }
        }

        $(impl From<$name> for MetadataRecord {
            fn from(record: $name) -> Self {
                Self::$name(record)
            }
        })+
    };
}

metadata_records! {
    0 => RegisterBroker,
    1 => UnregisterBroker,
    2 => Topic,
    3 => Partition,
    4 => Config,
    5 => PartitionChange,
    7 => FenceBroker,
    8 => UnfenceBroker,
    9 => RemoveTopic,
    10 => DelegationToken,
    11 => UserScramCredential,
    12 => FeatureLevel,
    14 => ClientQuota,
    15 => ProducerIds,
    17 => BrokerRegistrationChange,
    18 => AccessControlEntry,
    19 => RemoveAccessControlEntry,
    20 => NoOp,
    21 => ZkMigrationState,
    22 => RemoveUserScramCredential,
    23 => BeginTransaction,
    24 => EndTransaction,
    25 => AbortTransaction,
    26 => RemoveDelegationToken,
    27 => RegisterController,
    28 => ClearElr,
    29 => UnregisterController,
}

impl MetadataRecord {
    /// Reads the value of a record. Everything that is not known, and anything left over, is an error, for going on
    /// without it would be going on with wrong metadata.
    pub fn read(value: &[u8]) -> Result<Self, DecodeError> {
        let mut body = Bytes::copy_from_slice(value);
        let frame = take_varint(&mut body)?;
        if frame != FRAME_VERSION {
            return Err(DecodeError::UnsupportedVersion { what: "metadata frame", version: frame as i32 });
        }
        let key = take_varint(&mut body)?;
        let version = take_varint(&mut body)?;
        let version = i16::try_from(version).map_err(|_| DecodeError::UnsupportedVersion {
            what: "metadata record",
            version: version as i32,
        })?;
        let record = Self::decode(key, version, &mut body)?;
        match body.len() {
            0 => Ok(record),
            count => Err(DecodeError::TrailingBytes { count }),
        }
    }

    /// Writes the value of a record in the format of `version`, which the finalized `metadata.version` decides.
    ///
    /// # Panics
    /// As [`Message::encode`] does.
    pub fn write(&self, version: i16) -> Bytes {
        let mut out = BytesMut::new();
        put_varint(FRAME_VERSION, &mut out);
        put_varint(self.key(), &mut out);
        put_varint(u32::try_from(version).expect("record versions are not negative"), &mut out);
        self.encode(version, &mut out);
        out.freeze()
    }
}
