//! STUB of the table of APIs.

pub mod delete_records;
pub mod fetch;
pub mod init_producer_id;
pub mod list_offsets;
pub mod offset_for_leader_epoch;
pub mod produce;
pub mod resolve;
