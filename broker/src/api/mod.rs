//! STUB of the table of APIs.

pub mod describe_configs;
pub mod incremental_alter_configs;
