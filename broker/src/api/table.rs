//! The one table of APIs: key, name, versions, handler.

use crate::{net::Connection, services::Services};
use bytes::Bytes;
use protocol_glue::codec::{self, CodecError, Rope};
use std::{future::Future, ops::RangeInclusive, pin::Pin};

/// A row: one API as it is served.
pub struct Api {
    pub key: i16,
    pub name: &'static str,
    /// Served: what both Apache Kafka 4.4 and our codec know.
    pub versions: RangeInclusive<i16>,
    /// The lowest version that ApiVersions lists.
    pub advertised_from: i16,
    /// The request carries record batches, so its frame may be as large as `socket.request.max.bytes`.
    pub carries_records: bool,
    pub run: Handler,
}

/// One request, for handlers that need to know who asks.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub version: i16,
    pub correlation_id: i32,
    /// Empty when the client gave none.
    pub client_id: &'a str,
    pub connection: &'a Connection,
}

/// What comes of a request.
pub enum Outcome {
    Respond(Rope),
    /// acks=0 has no answer.
    Nothing,
    /// Close the connection; the text is for the log.
    Close(String),
}

type Handler =
    for<'a> fn(&'a Services, Call<'a>, Bytes) -> Pin<Box<dyn Future<Output = Result<Outcome, CodecError>> + Send + 'a>>;

/// The row of an API.
pub fn api_of(key: i16) -> Option<&'static Api> {
    APIS.iter().find(|api| api.key == key)
}
