//! STUB of the table of APIs.

pub mod create_partitions;
pub mod create_topics;
pub mod delete_topics;
pub mod describe_acls;
pub mod describe_cluster;
pub mod describe_log_dirs;
pub mod metadata;
pub mod this_broker;
