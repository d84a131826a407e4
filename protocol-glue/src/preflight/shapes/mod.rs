//! The request bodies that can be checked: every API of a broker's listener, one shape for each.
//!
//! A line is a field: its type, the versions that have it (`[0..]`: all that the API has here), those in which it may be
//! null, and its tag if it is a tagged field. Structures of arrays name the type that the protocol crate decodes them
//! into, for the sake of its size. The facts are those of Kafka's published schemas.

mod cluster;
mod groups;
mod logs;
mod security;
mod share;
mod topics;
mod transactions;

use super::shape::Shape;

/// The shape of the requests with this API key.
pub(super) fn shape_of(api_key: i16) -> Option<&'static Shape> {
    logs::shape_of(api_key)
        .or_else(|| groups::shape_of(api_key))
        .or_else(|| topics::shape_of(api_key))
        .or_else(|| cluster::shape_of(api_key))
        .or_else(|| transactions::shape_of(api_key))
        .or_else(|| security::shape_of(api_key))
        .or_else(|| share::shape_of(api_key))
}
