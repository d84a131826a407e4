//! The broker's behaviour on the wire, request by request, with hand-made frames and batches.
//!
//! One file per kind of behaviour; the case ids in the doc comments (`WIRE-01`) name the behaviours that a
//! Kafka-compatible broker must get right, and what clients do when it does not.

mod cluster;
mod configs;
mod fetch;
mod group_admin;
mod groups;
mod idempotence;
mod list_offsets;
mod logs;
mod member;
mod metadata;
mod offsets;
mod produce;
mod produce_rules;
mod sessions;
mod topics;
mod trim;
mod versions;
mod wire;
