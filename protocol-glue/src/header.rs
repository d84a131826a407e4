//! The header of a request.
//!
//! Read by hand, because the fields before the body must be understood for versions and clients that the protocol crate
//! refuses: an ApiVersions request of any version, a client id that is not UTF-8. Response headers are written where
//! responses are, in [`crate::codec`].

use bytes::{Buf, Bytes};
use kafka_protocol::protocol::StrBytes;

use crate::DecodeError;
use crate::versions;
use crate::wire::{need, take_tagged};

/// What stands before the body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHeader {
    pub api_key: i16,
    pub api_version: i16,
    /// Whatever the client chose; it goes into the response.
    pub correlation_id: i32,
    /// Null and empty mean the same to quotas and logs. Bytes that are not UTF-8 were replaced.
    pub client_id: Option<StrBytes>,
}

impl RequestHeader {
    /// Takes the header off the front of `frame`; what stays there is the body. The version may be one that nobody
    /// supports. Every error ends the connection without an answer.
    pub fn take(frame: &mut Bytes) -> Result<Self, DecodeError> {
        need(frame, 8)?;
        let (api_key, api_version) = (frame.get_i16(), frame.get_i16());
        let correlation_id = frame.get_i32();
        let api =
            versions::api(api_key).ok_or(DecodeError::UnknownKey { what: "API key", key: api_key.into() })?;
        let client_id = take_client_id(frame)?;
        if api.is_flexible(api_version) {
            // KIP-482 adds nothing else: the client id stays as it is in older headers.
            take_tagged(frame, |_, _| Ok(()))?;
        }
        Ok(Self { api_key, api_version, correlation_id, client_id })
    }
}

fn take_client_id(frame: &mut Bytes) -> Result<Option<StrBytes>, DecodeError> {
    need(frame, 2)?;
    let Ok(length) = usize::try_from(frame.get_i16()) else { return Ok(None) };
    need(frame, length)?;
    let bytes = frame.split_to(length);
    Ok(Some(StrBytes::from_utf8(bytes.clone()).unwrap_or_else(|_| repaired(&bytes))))
}

/// Text that is not UTF-8, made so as Java does, and cut where it then no longer fits a 16-bit length: the client id
/// goes into records that have no more room.
fn repaired(bytes: &[u8]) -> StrBytes {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    text.truncate(text.floor_char_boundary(i16::MAX as usize));
    StrBytes::from_string(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: [u8; 8] = [0, 3, 0, 12, 0, 0, 0, 5];

    fn parse(parts: &[&[u8]]) -> Result<(RequestHeader, Vec<u8>), DecodeError> {
        let mut frame = Bytes::from(parts.concat());
        RequestHeader::take(&mut frame).map(|header| (header, frame.to_vec()))
    }

    fn metadata(client_id: Option<&'static str>) -> RequestHeader {
        let client_id = client_id.map(StrBytes::from_static_str);
        RequestHeader { api_key: 3, api_version: 12, correlation_id: 5, client_id }
    }

    #[test]
    fn a_flexible_header_has_a_plain_client_id_and_tagged_fields() {
        let body = vec![1, 0, 0, 0];
        let read = parse(&[&METADATA, b"\0\x01p\0", &body]);
        assert_eq!(read, Ok((metadata(Some("p")), body)));
    }

    /// WIRE-12
    #[test]
    fn an_older_header_ends_with_the_client_id() {
        let read = parse(&[&[0, 3, 0, 1, 255, 255, 255, 254], b"\0\x01p", b"\0\0\0\0"]);
        let (header, body) = read.expect("a header");
        assert_eq!((header.api_version, header.correlation_id, body), (1, -2, vec![0; 4]));
    }

    #[test]
    fn every_frame_below_eight_bytes_is_refused() {
        for length in 0..8 {
            let refused = Err(DecodeError::Truncated { missing: 8 - length });
            assert_eq!(parse(&[&METADATA[..length]]), refused);
        }
    }

    #[test]
    fn a_negative_client_id_length_is_null() {
        assert_eq!(parse(&[&METADATA, b"\xff\xff\0"]), Ok((metadata(None), vec![])));
        assert_eq!(parse(&[&METADATA, b"\xff\xfe\0"]), Ok((metadata(None), vec![])));
    }

    #[test]
    fn a_client_id_may_hold_any_bytes() {
        let (header, _) = parse(&[&METADATA, b"\0\x02\xff\xfe\0"]).expect("a header");
        assert_eq!(header.client_id.as_deref(), Some("\u{fffd}\u{fffd}"));
        let (header, _) = parse(&[&METADATA, b"\0\x03a\n\0\0"]).expect("a header");
        assert_eq!(header.client_id.as_deref(), Some("a\n\0"));
    }

    #[test]
    fn a_repaired_client_id_still_fits_a_16_bit_length() {
        let (header, _) = parse(&[&METADATA, b"\x7f\xff", &[0xff; 32767], b"\0"]).expect("a header");
        let client_id = header.client_id.expect("a client id");
        assert_eq!(client_id.len(), 32766);
        assert!(client_id.chars().all(|character| character == '\u{fffd}'));
    }

    #[test]
    fn a_client_id_that_ends_after_the_frame_is_refused() {
        assert!(parse(&[&METADATA, b"\x7f\xff\0\x01\0\0\0"]).is_err());
        // A compact client id, as a careless client would write it: length 0x0270.
        assert!(parse(&[&METADATA, b"\x02p\0\x01\0\0\0"]).is_err());
    }

    /// WIRE-11
    #[test]
    fn tagged_fields_are_passed_over_in_any_order_and_number() {
        for tags in [&b"\x01\xa0\x1f\x03abc"[..], b"\x02\x05\x01a\x04\x01a", b"\x02\x05\x01a\x05\x01a"] {
            assert_eq!(
                parse(&[&METADATA, b"\0\x01p", tags, b"body"]),
                Ok((metadata(Some("p")), b"body".to_vec()))
            );
        }
    }

    #[test]
    fn tagged_fields_that_do_not_fit_are_refused() {
        assert!(parse(&[&METADATA, b"\0\x01p", b"\x01\x05\x7f", b"body"]).is_err());
        let many = [&b"\x91\x4e"[..], &b"\x05\0".repeat(10_001)].concat();
        assert!(matches!(parse(&[&METADATA, b"\0\x01p", &many]), Err(DecodeError::CountTooLarge { .. })));
        let most = [&b"\x90\x4e"[..], &b"\x05\0".repeat(10_000)].concat();
        assert!(parse(&[&METADATA, b"\0\x01p", &most]).is_ok());
    }

    /// VER-02
    #[test]
    fn api_versions_of_any_version_has_a_readable_header() {
        for (version, tags) in [(99i16, &b"\0"[..]), (32767, b"\0"), (-1, b"")] {
            let read = parse(&[&[0, 18], &version.to_be_bytes(), &[0, 0, 0, 7], b"\0\x01p", tags]);
            let (header, body) = read.expect("a header");
            assert_eq!((header.api_version, header.correlation_id, body), (version, 7, vec![]));
        }
        assert!(parse(&[&[0, 18, 0, 99, 0, 0, 0, 9]]).is_err());
        assert!(parse(&[&[0, 18, 0, 99, 0, 0, 0, 9], &[0xff; 30]]).is_err());
    }

    /// WIRE-09
    #[test]
    fn a_key_that_nobody_defines_is_refused() {
        for key in [95i16, 999, -1, 32767] {
            let refused = Err(DecodeError::UnknownKey { what: "API key", key: key.into() });
            assert_eq!(parse(&[&key.to_be_bytes(), &[0, 0, 0, 0, 0, 5], b"\0\x01p"]), refused);
        }
    }

    #[test]
    fn the_client_id_is_not_copied() {
        let mut frame = Bytes::from([&METADATA[..], b"\0\x03abc\0"].concat());
        let start = frame.as_ptr();
        let header = RequestHeader::take(&mut frame).expect("a header");
        let client_id = header.client_id.expect("a client id");
        assert_eq!(client_id.as_ptr(), start.wrapping_add(10));
    }
}
