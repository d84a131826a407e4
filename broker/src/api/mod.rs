//! The APIs: one file each, and the one table of them that dispatch, the ApiVersions answer and the docs read.
//!
//! Adding an API is one new file and one row. A handler receives the two or three things it uses; decoding,
//! encoding, tracing and refusals happen once, in [`dispatch`].

mod api_versions;
mod create_partitions;
mod create_topics;
mod delete_records;
mod delete_topics;
mod describe_acls;
mod describe_cluster;
pub mod describe_configs;
pub mod describe_log_dirs;
mod dispatch;
pub mod fetch;
pub mod incremental_alter_configs;
pub mod init_producer_id;
mod list_offsets;
mod metadata;
mod offset_for_leader_epoch;
pub mod produce;
mod resolve;
mod table;
pub mod this_broker;

pub use dispatch::Dispatcher;
pub use table::{APIS, Api, Call, Outcome};
