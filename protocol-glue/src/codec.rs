//! Bodies to messages, and messages to frames.
//!
//! The protocol crate does the work; errors are given types here, and the records of a response are not copied.

use bytes::{BufMut, Bytes};
use kafka_protocol::messages::FetchResponse;
use kafka_protocol::protocol::{Decodable, Encodable};
use thiserror::Error;

use crate::DecodeError;
use crate::frame::LENGTH_BYTES;
pub use crate::rope::Rope;
use crate::rope::{RopeWriter, SHARED_FROM_BYTES};
use crate::stand_in::is_stand_in;
use crate::versions::api;

/// A response that its version cannot express, or that is larger than a frame can be: always our own mistake.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the response cannot be encoded in version {version}: {reason}")]
pub struct EncodeError {
    pub version: i16,
    pub reason: String,
}

/// Decodes a body that passed [`crate::preflight::check`]; without that, the crate reserves what the wire asks for.
/// Text and records are slices of the body and keep the whole frame in memory: copy what is to be kept.
pub fn decode_body<R: Decodable>(body: &mut Bytes, version: i16) -> Result<R, DecodeError> {
    R::decode(body, version).map_err(|error| DecodeError::Codec(error.to_string()))
}

/// Encodes a response into a frame: length, header, body.
pub fn encode_response<R: Encodable>(
    correlation_id: i32,
    header_version: i16,
    response: &R,
    version: i16,
) -> Result<Rope, EncodeError> {
    encode_response_sharing(correlation_id, header_version, response, version, [])
}

/// As [`encode_response`], and `payloads`, byte fields of the response in the order of their encoding, are not copied
/// but become segments of the result. Small ones are copied all the same.
pub fn encode_response_sharing<R: Encodable>(
    correlation_id: i32,
    header_version: i16,
    response: &R,
    version: i16,
    payloads: impl IntoIterator<Item = Bytes>,
) -> Result<Rope, EncodeError> {
    let failed = |reason: String| EncodeError { version, reason };
    let is_shared = |payload: &Bytes| payload.len() >= SHARED_FROM_BYTES || is_stand_in(payload);
    let payloads: Vec<Bytes> = payloads.into_iter().filter(is_shared).collect();
    let payload_bytes: usize = payloads.iter().map(Bytes::len).sum();
    let body_bytes = response.compute_size(version).map_err(|error| failed(error.to_string()))?;
    let header_bytes = if header_version >= 1 { 5 } else { 4 };
    let own_bytes = LENGTH_BYTES + header_bytes + body_bytes.saturating_sub(payload_bytes);

    let mut writer = RopeWriter::new(own_bytes, payloads);
    writer.put_i32(0); // the length, which the end knows
    writer.put_i32(correlation_id);
    if header_version >= 1 {
        writer.put_u8(0); // no tagged fields
    }
    response.encode(&mut writer, version).map_err(|error| failed(error.to_string()))?;

    let length = i32::try_from(header_bytes + body_bytes).map_err(|_| failed("over 2 GiB".into()))?;
    let rope = writer.finish(length.to_be_bytes());
    debug_assert_eq!(rope.len, LENGTH_BYTES + header_bytes + body_bytes);
    Ok(rope)
}

/// Encodes a Fetch response; the records of its partitions are not copied. Those that are a stand-in become a segment
/// of their own, whatever their length.
pub fn encode_fetch_response(
    correlation_id: i32,
    response: &FetchResponse,
    version: i16,
) -> Result<Rope, EncodeError> {
    let header_version = api(FETCH_KEY).expect("Fetch is in the table").response_header_version(version);
    let partitions = response.responses.iter().flat_map(|topic| &topic.partitions);
    let records = partitions.filter_map(|partition| partition.records.clone());
    encode_response_sharing(correlation_id, header_version, response, version, records)
}

const FETCH_KEY: i16 = 1;

#[cfg(test)]
mod tests;
