//! Record batches of version 2: the header by name, the records on demand.
//!
//! Nothing here decides whether a batch may be stored; that is [`validate`].

use crate::{
    compress,
    format::{LENGTH_PREFIX_LEN, MAGIC_V2, SMALLEST_V2_BATCH_LENGTH, at, attribute, crc32c},
    records::{self, Context, Fault},
};

pub use crate::{
    builder::Builder,
    format::HEADER_LEN,
    validate::{Reason, RecordError, Rejected, Rules, TargetCodec, ValidBatch, validate},
};

/// Whose time the records of a batch carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimestampType {
    /// The producer's.
    CreateTime,
    /// The log's, at the moment of the append: the batch's largest timestamp.
    LogAppendTime,
}

/// How the records of a batch are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    None,
    Gzip,
    Snappy,
    Lz4,
    Zstd,
}

impl Codec {
    /// The codec in a batch's attributes; `None` for the ones that no version of the format knows.
    pub(crate) fn from_attributes(attributes: i16) -> Option<Self> {
        Some(match attributes & attribute::CODEC_MASK {
            0 => Self::None,
            1 => Self::Gzip,
            2 => Self::Snappy,
            3 => Self::Lz4,
            4 => Self::Zstd,
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> i16 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Snappy => 2,
            Self::Lz4 => 3,
            Self::Zstd => 4,
        }
    }
}

/// The header of a batch, decoded. Field meanings: message format of version 2 in the Kafka documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub base_offset: i64,
    /// Bytes after the length field.
    pub batch_length: i32,
    pub leader_epoch: i32,
    pub magic: i8,
    pub crc: u32,
    pub attributes: i16,
    pub last_offset_delta: i32,
    pub base_timestamp: i64,
    pub max_timestamp: i64,
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub base_sequence: i32,
    pub record_count: i32,
}

impl Header {
    /// Decodes the first [`HEADER_LEN`] bytes; `None` when there are fewer. Judges nothing.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; HEADER_LEN] = bytes.first_chunk()?;
        Some(Self {
            base_offset: i64::from_be_bytes(field(bytes, at::BASE_OFFSET)),
            batch_length: i32::from_be_bytes(field(bytes, at::BATCH_LENGTH)),
            leader_epoch: i32::from_be_bytes(field(bytes, at::LEADER_EPOCH)),
            magic: bytes[at::MAGIC] as i8,
            crc: u32::from_be_bytes(field(bytes, at::CRC)),
            attributes: i16::from_be_bytes(field(bytes, at::ATTRIBUTES)),
            last_offset_delta: i32::from_be_bytes(field(bytes, at::LAST_OFFSET_DELTA)),
            base_timestamp: i64::from_be_bytes(field(bytes, at::BASE_TIMESTAMP)),
            max_timestamp: i64::from_be_bytes(field(bytes, at::MAX_TIMESTAMP)),
            producer_id: i64::from_be_bytes(field(bytes, at::PRODUCER_ID)),
            producer_epoch: i16::from_be_bytes(field(bytes, at::PRODUCER_EPOCH)),
            base_sequence: i32::from_be_bytes(field(bytes, at::BASE_SEQUENCE)),
            record_count: i32::from_be_bytes(field(bytes, at::RECORD_COUNT)),
        })
    }

    pub(crate) fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(at::BASE_OFFSET, &self.base_offset.to_be_bytes());
        put(at::BATCH_LENGTH, &self.batch_length.to_be_bytes());
        put(at::LEADER_EPOCH, &self.leader_epoch.to_be_bytes());
        put(at::MAGIC, &self.magic.to_be_bytes());
        put(at::CRC, &self.crc.to_be_bytes());
        put(at::ATTRIBUTES, &self.attributes.to_be_bytes());
        put(at::LAST_OFFSET_DELTA, &self.last_offset_delta.to_be_bytes());
        put(at::BASE_TIMESTAMP, &self.base_timestamp.to_be_bytes());
        put(at::MAX_TIMESTAMP, &self.max_timestamp.to_be_bytes());
        put(at::PRODUCER_ID, &self.producer_id.to_be_bytes());
        put(at::PRODUCER_EPOCH, &self.producer_epoch.to_be_bytes());
        put(at::BASE_SEQUENCE, &self.base_sequence.to_be_bytes());
        put(at::RECORD_COUNT, &self.record_count.to_be_bytes());
        bytes
    }

    /// Could this be the header of a stored batch? Stored batches have passed this, so a header that does not
    /// is damage or the end of the data.
    pub(crate) fn is_plausible(&self) -> bool {
        self.magic == MAGIC_V2
            && self.batch_length >= SMALLEST_V2_BATCH_LENGTH
            && self.base_offset >= 0
            && self.last_offset_delta >= 0
            && self
                .base_offset
                .checked_add(i64::from(self.last_offset_delta))
                .is_some_and(|last| last < i64::MAX)
    }

    /// Length of the whole batch.
    pub(crate) fn byte_len(&self) -> u64 {
        LENGTH_PREFIX_LEN as u64 + self.batch_length.max(0) as u64
    }

    pub fn last_offset(&self) -> i64 {
        self.base_offset.wrapping_add(i64::from(self.last_offset_delta))
    }

    /// `None` for an unknown codec.
    pub fn codec(&self) -> Option<Codec> {
        Codec::from_attributes(self.attributes)
    }

    pub fn timestamp_type(&self) -> TimestampType {
        match self.attributes & attribute::LOG_APPEND_TIME {
            0 => TimestampType::CreateTime,
            _ => TimestampType::LogAppendTime,
        }
    }

    pub fn is_transactional(&self) -> bool {
        self.attributes & attribute::TRANSACTIONAL != 0
    }

    pub fn is_control(&self) -> bool {
        self.attributes & attribute::CONTROL != 0
    }

    pub fn has_producer_id(&self) -> bool {
        self.producer_id >= 0
    }
}

fn field<const N: usize>(bytes: &[u8; HEADER_LEN], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("a range of N bytes")
}

/// A record inside a stored batch.
#[derive(Debug)]
pub struct Record<'a> {
    pub offset: i64,
    /// The log's own time when the batch carries one.
    pub timestamp: i64,
    pub key: Option<&'a [u8]>,
    pub value: Option<&'a [u8]>,
    pub headers: Headers<'a>,
}

/// The headers of a record, decoded as they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Headers<'a> {
    pub(crate) count: i32,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Iterator for Headers<'a> {
    /// Key and value.
    type Item = (&'a [u8], Option<&'a [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.count <= 0 {
            return None;
        }
        self.count -= 1;
        records::header(&mut self.bytes)
    }
}

/// A view of one stored batch: header fields by name, records on demand.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// All of it, header first. [`batches`] is where it comes from; the methods rely on what that checked.
    pub bytes: &'a [u8],
}

impl<'a> Batch<'a> {
    pub fn header(&self) -> Header {
        Header::parse(self.bytes).expect("a batch is at least a header long")
    }

    pub fn base_offset(&self) -> i64 {
        self.header().base_offset
    }

    pub fn last_offset(&self) -> i64 {
        self.header().last_offset()
    }

    pub fn leader_epoch(&self) -> i32 {
        self.header().leader_epoch
    }

    pub fn is_control(&self) -> bool {
        self.header().is_control()
    }

    /// Calls `visit` for every record; decompresses when needed, no record larger than
    /// `max_decompressed_bytes`.
    pub fn for_each_record(
        &self,
        max_decompressed_bytes: usize,
        visit: &mut dyn FnMut(Record<'_>),
    ) -> Result<(), Rejected> {
        self.read_records(max_decompressed_bytes, &mut |record| {
            visit(record);
            true
        })
        .map_err(Rejected::from)
    }

    /// Like [`Self::for_each_record`], as long as `visit` wants more.
    pub(crate) fn read_records(
        &self,
        max_decompressed_bytes: usize,
        visit: &mut dyn FnMut(Record<'_>) -> bool,
    ) -> Result<(), Fault> {
        let header = self.header();
        let log_append_time = match header.timestamp_type() {
            TimestampType::CreateTime => None,
            TimestampType::LogAppendTime => Some(header.max_timestamp),
        };
        let context = Context {
            base_offset: header.base_offset,
            base_timestamp: header.base_timestamp,
            log_append_time,
        };
        let payload = &self.bytes[HEADER_LEN..];
        match header.codec().ok_or(Fault::Malformed("unknown codec"))? {
            Codec::None => records::read_plain(payload, header.record_count, context, visit),
            codec => {
                let mut reader = compress::reader(codec, payload)?;
                records::read_compressed(
                    &mut reader,
                    header.record_count,
                    max_decompressed_bytes,
                    context,
                    visit,
                )
            }
        }
    }
}

/// The whole batches at the start of `bytes`, in order; stops at the first that is cut or not intact.
pub fn batches(mut bytes: &[u8]) -> impl Iterator<Item = Batch<'_>> {
    std::iter::from_fn(move || {
        let header = Header::parse(bytes).filter(Header::is_plausible)?;
        let len = usize::try_from(header.byte_len()).ok()?;
        let (batch, rest) = bytes.split_at_checked(len)?;
        if crc32c(&[&batch[at::ATTRIBUTES..]]) != header.crc {
            return None;
        }
        bytes = rest;
        Some(Batch { bytes: batch })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::testing::{Sketch, record};

    #[test]
    fn a_header_encodes_to_what_it_was_decoded_from() {
        let bytes = Sketch { producer: (7, 2, 40), attributes: 0x7f1c, ..Sketch::plain(3) }.bytes();
        let header = Header::parse(&bytes).expect("whole");
        assert_eq!(header.encode(), bytes[..HEADER_LEN]);
        assert_eq!((header.producer_id, header.producer_epoch, header.base_sequence), (7, 2, 40));
        assert_eq!((header.record_count, header.last_offset()), (3, 2));
        assert_eq!(Header::parse(&bytes[..60]), None);
    }

    #[test]
    fn batches_stop_at_the_first_that_is_cut_or_damaged() {
        let one = Sketch::plain(1).bytes();
        let mut three = [&one[..], &one, &one].concat();
        assert_eq!(batches(&three).count(), 3);
        assert_eq!(batches(&three[..three.len() - 1]).count(), 2);
        three[one.len() + 65] ^= 1;
        assert_eq!(batches(&three).count(), 1);
        assert_eq!(batches(&[0; 100]).count(), 0);
    }

    /// PROD-12, PROD-13
    #[test]
    fn null_and_empty_stay_distinct_and_headers_keep_order_and_bytes() {
        let bytes = Sketch {
            records: vec![
                record().build(),
                record().key(Some(b"")).value(Some(b"")).offset(1).build(),
                record()
                    .offset(2)
                    .headers(&[(b"a", None), (b"a", Some(b"")), (b"", Some(b"\xff\0"))])
                    .build(),
            ],
            ..Sketch::plain(0)
        }
        .bytes();
        let mut seen = 0;
        let batch = batches(&bytes).next().expect("intact");
        batch
            .for_each_record(1 << 20, &mut |record| {
                match record.offset {
                    0 => assert_eq!((record.key, record.value), (None, None)),
                    1 => assert_eq!((record.key, record.value), (Some(&b""[..]), Some(&b""[..]))),
                    _ => assert_eq!(
                        record.headers.collect::<Vec<_>>(),
                        [(&b"a"[..], None), (b"a", Some(&b""[..])), (b"", Some(b"\xff\0"))]
                    ),
                }
                seen += 1;
            })
            .expect("well formed");
        assert_eq!(seen, 3);
    }
}
