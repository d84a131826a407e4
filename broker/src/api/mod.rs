//! The APIs: one file each, and the one table of them that dispatch, the ApiVersions answer and the docs read.
//!
//! Adding an API is one new file and one row. A handler receives the two or three things it uses; decoding,
//! encoding, tracing and refusals happen once, in [`dispatch`].

mod api_versions;
mod create_partitions;
mod create_topics;
mod delete_groups;
mod delete_records;
mod delete_topics;
mod describe_acls;
mod describe_cluster;
pub mod describe_configs;
mod describe_groups;
pub mod describe_log_dirs;
mod dispatch;
pub mod fetch;
pub mod find_coordinator;
#[cfg(test)]
mod group_handler_tests;
#[cfg(test)]
mod group_tests;
mod heartbeat;
pub mod incremental_alter_configs;
pub mod init_producer_id;
mod join_group;
mod leave_group;
mod list_groups;
mod list_offsets;
mod merged_topics;
mod metadata;
mod offset_commit;
mod offset_delete;
mod offset_fetch;
mod offset_for_leader_epoch;
pub mod produce;
mod resolve;
mod sync_group;
mod table;
mod text;
pub mod this_broker;

pub use dispatch::Dispatcher;
pub use table::{APIS, Api, Call, Outcome};
