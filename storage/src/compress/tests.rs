//! Round trips, both snappy framings, and inputs that lie about what they hold.

use super::*;

const CODECS: [Codec; 5] = [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd];

fn plain(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i / 7) as u8).collect()
}

fn packed(codec: Codec, mut bytes: &[u8]) -> Vec<u8> {
    compress(&mut bytes, codec, None, usize::MAX).expect("compresses").expect("no limit")
}

fn unpacked(codec: Codec, payload: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut reader = reader(codec, payload).map_err(|fault| format!("{fault:?}"))?;
    reader.read_to_end(&mut out).map_err(|error| error.to_string())?;
    Ok(out)
}

#[test]
fn every_codec_gives_back_what_it_took() {
    for codec in CODECS {
        for len in [1, 100, SNAPPY_BLOCK_LEN, 3 * SNAPPY_BLOCK_LEN + 5] {
            assert_eq!(
                unpacked(codec, &packed(codec, &plain(len))).expect("reads"),
                plain(len),
                "{codec:?} {len}"
            );
        }
    }
}

/// PROD-18
#[test]
fn raw_snappy_is_read_like_framed_snappy() {
    let raw = snap::raw::Encoder::new().compress_vec(&plain(1000)).expect("compresses");
    assert_eq!(unpacked(Codec::Snappy, &raw).expect("reads"), plain(1000));
    assert!(packed(Codec::Snappy, &plain(1000)).starts_with(SNAPPY_JAVA_MAGIC));
}

#[test]
fn a_cut_payload_is_an_error_at_every_length() {
    for codec in CODECS.into_iter().filter(|&codec| codec != Codec::None) {
        let whole = packed(codec, &plain(500));
        for len in 0..whole.len() {
            let read = unpacked(codec, &whole[..len]);
            // Framed snappy cut between two blocks is whole to its reader; the record count tells.
            let nothing = read.as_ref().is_ok_and(|bytes| bytes.is_empty());
            assert!(read.is_err() || nothing, "{codec:?} cut to {len}");
        }
    }
}

#[test]
fn bytes_after_the_stream_are_ignored_for_gzip_and_lz4_only() {
    for codec in CODECS.into_iter().filter(|&codec| codec != Codec::None) {
        let mut payload = packed(codec, &plain(500));
        payload.extend_from_slice(b"zzzz");
        let ignored = matches!(codec, Codec::Gzip | Codec::Lz4);
        assert_eq!(unpacked(codec, &payload).is_ok(), ignored, "{codec:?}");
    }
}

#[test]
fn gzip_members_are_read_one_after_the_other() {
    let mut payload = packed(Codec::Gzip, b"one");
    payload.extend(packed(Codec::Gzip, b"two"));
    assert_eq!(unpacked(Codec::Gzip, &payload).expect("reads"), b"onetwo");
}

#[test]
fn a_snappy_block_that_claims_gigabytes_is_refused_before_it_is_allocated() {
    let claims_four_gigabytes = [0xff, 0xff, 0xff, 0xff, 0x0f, 0];
    assert!(unpacked(Codec::Snappy, &claims_four_gigabytes).expect_err("refused").contains("impossible"));
}

#[test]
fn linked_lz4_blocks_are_refused() {
    use lz4_flex::frame::{BlockMode, FrameEncoder, FrameInfo};
    let mut encoder =
        FrameEncoder::with_frame_info(FrameInfo::new().block_mode(BlockMode::Linked), Vec::new());
    encoder.write_all(b"linked").expect("writes to memory");
    assert!(unpacked(Codec::Lz4, &encoder.finish().expect("finishes")).is_err());
}

#[test]
fn compression_stops_at_its_limit() {
    for codec in CODECS {
        let noise: Vec<u8> = (0u32..5000).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        assert!(compress(&mut &noise[..], codec, None, 20).expect("no fault").is_none(), "{codec:?}");
    }
}
