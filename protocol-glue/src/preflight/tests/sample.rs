//! Well-formed bodies of any shape, random but repeatable.

use bytes::{BufMut, BytesMut};

use crate::preflight::shape::{Field, Kind, Shape};
use crate::preflight::shapes::shape_of;
use crate::wire::put_varint;

/// One body to be.
pub(super) struct Sample {
    shape: &'static Shape,
    version: i16,
    flexible: bool,
    state: u64,
    out: BytesMut,
}

impl Sample {
    pub(super) fn new(seed: u64, api_key: i16, version: i16) -> Self {
        let shape = shape_of(api_key).expect("an API with a shape");
        let flexible = shape.flexible_from.is_some_and(|first| version >= first);
        Self { shape, version, flexible, state: seed | 1, out: BytesMut::new() }
    }

    pub(super) fn body(mut self) -> Vec<u8> {
        self.fields(self.shape.fields);
        self.out.to_vec()
    }

    /// A number below `limit`, by splitmix64.
    fn below(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn fields(&mut self, fields: &'static [Field]) {
        let version = self.version;
        let (tagged, row): (Vec<&Field>, Vec<&Field>) = fields
            .iter()
            .filter(|field| field.versions.contains(version))
            .partition(|field| field.tag.is_some());
        row.into_iter().for_each(|field| self.field(field));
        if !self.flexible {
            return;
        }
        let known: Vec<&Field> = tagged.into_iter().filter(|_| self.below(2) == 0).collect();
        let unknown = if self.below(8) == 0 { self.below(3) } else { 0 };
        put_varint(known.len() as u32 + unknown as u32, &mut self.out);
        for field in known {
            put_varint(field.tag.expect("a tagged field"), &mut self.out);
            let outer = std::mem::take(&mut self.out);
            self.field(field);
            let content = std::mem::replace(&mut self.out, outer);
            put_varint(content.len() as u32, &mut self.out);
            self.out.put_slice(&content);
        }
        for tag in 0..unknown {
            put_varint(100 + tag as u32, &mut self.out);
            put_varint(3, &mut self.out);
            self.out.put_slice(b"tag");
        }
    }

    fn field(&mut self, field: &Field) {
        let nullable = field.null.contains(self.version);
        let null = nullable && self.below(4) == 0;
        match field.kind {
            Kind::Struct(_) if null => self.out.put_i8(-1),
            Kind::Struct(fields) if nullable => {
                self.out.put_i8(1);
                self.fields(fields);
            }
            _ => self.value(&field.kind, null),
        }
    }

    fn value(&mut self, kind: &Kind, null: bool) {
        match kind {
            Kind::Fixed(size) => {
                for _ in 0..*size {
                    let byte = self.below(256) as u8;
                    self.out.put_u8(byte);
                }
            }
            Kind::Text | Kind::Bytes => {
                let length = self.below(6);
                self.count(matches!(kind, Kind::Text), (!null).then_some(length));
                for _ in 0..if null { 0 } else { length } {
                    let byte = b'a' + self.below(26) as u8;
                    self.out.put_u8(byte);
                }
            }
            Kind::Array { element, .. } => {
                let count = self.below(4);
                self.count(false, (!null).then_some(count));
                for _ in 0..if null { 0 } else { count } {
                    self.value(element, false);
                }
            }
            Kind::Struct(fields) => self.fields(fields),
        }
    }

    fn count(&mut self, short: bool, count: Option<u64>) {
        if self.flexible {
            put_varint(count.map_or(0, |count| count as u32 + 1), &mut self.out);
        } else if short {
            self.out.put_i16(count.map_or(-1, |count| count as i16));
        } else {
            self.out.put_i32(count.map_or(-1, |count| count as i32));
        }
    }
}
