//! What checking and decoding a body takes of memory, measured by an allocator that counts.
//!
//! Alone in its file because the allocator is the whole program's, with one test because it counts for all threads.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::{BufMut, Bytes, BytesMut};
use kafka_protocol::messages::*;
use kafka_protocol::protocol::Decodable;
use protocol_glue::preflight;

struct Counting;

static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);
static PEAK_BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came; the counters touch nothing of it.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE_BYTES.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK_BYTES.fetch_max(live, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most that `work` holds at once beyond what was there before.
fn peak_of(work: impl FnOnce()) -> usize {
    let before = LIVE_BYTES.load(Relaxed);
    PEAK_BYTES.store(before, Relaxed);
    work();
    PEAK_BYTES.load(Relaxed) - before
}

const MEBIBYTE: usize = 1 << 20;

/// What a body may cost: the budget of the preflight, and a copy of the body in case it is rewritten.
fn allowed(body: &Bytes) -> usize {
    17 * MEBIBYTE + 10 * body.len()
}

fn check_and_decode<R: Decodable>(api_key: i16, version: i16, body: &Bytes) -> bool {
    let Ok(mut checked) = preflight::check(api_key, version, body.clone()) else { return false };
    R::decode(&mut checked, version).expect("what passes decodes");
    true
}

#[track_caller]
fn costs_at_most<R: Decodable>(limit: usize, api_key: i16, version: i16, body: Bytes) -> bool {
    let mut passed = false;
    let peak = peak_of(|| passed = check_and_decode::<R>(api_key, version, &body));
    assert!(peak <= limit, "{} bytes for a body of {}, version {version} of {api_key}", peak, body.len());
    passed
}

fn repeated(prefix: &[u8], element: &[u8], count: usize, suffix: &[u8]) -> Bytes {
    let mut body = BytesMut::from(prefix);
    for _ in 0..count {
        body.put_slice(element);
    }
    body.put_slice(suffix);
    body.freeze()
}

/// Bodies of a few bytes that make the crate alone ask for up to 515 GB.
fn announced_counts_reserve_nothing() {
    let few = 1000;
    assert!(!costs_at_most::<MetadataRequest>(few, 3, 1, Bytes::from_static(b"\x7f\xff\xff\xff")));
    assert!(!costs_at_most::<MetadataRequest>(few, 3, 0, Bytes::from_static(b"\x17\x15\0\0")));
    assert!(!costs_at_most::<MetadataRequest>(few, 3, 9, Bytes::from_static(b"\xff\xff\xff\xff\x07\0\0\0")));
    assert!(!costs_at_most::<OffsetFetchRequest>(few, 9, 8, Bytes::from_static(b"\xff\xff\xff\xff\x07")));
    assert!(!costs_at_most::<LeaveGroupRequest>(few, 13, 4, Bytes::from_static(b"\x01\xff\xff\xff\xff\x07")));
    assert!(!costs_at_most::<DescribeGroupsRequest>(few, 15, 5, Bytes::from_static(b"\xff\xff\xff\xff\x07")));
    // This one Kafka reads as null, and so do we.
    let null = Bytes::from_static(b"\xff\xff\xff\xff\x0f\0\0\0");
    assert!(costs_at_most::<MetadataRequest>(few, 3, 12, null));
}

/// As many empty elements as the budget lets through cost no more than the budget, and more are refused.
fn empty_elements_stay_within_the_budget() {
    let names = |count: usize| repeated(&(count as u32).to_be_bytes(), &[0, 0], count, &[]);
    let mut passed = 0;
    for count in (50_000..=1_000_000).step_by(50_000) {
        let body = names(count);
        passed += usize::from(costs_at_most::<MetadataRequest>(allowed(&body), 3, 1, body));
    }
    assert!((1..20).contains(&passed), "{passed} of 20 passed");
}

/// A map for each structure is what unknown tagged fields cost most.
fn unknown_tagged_fields_stay_within_the_budget() {
    let mut passed = 0;
    for count in (5_000..=100_000).step_by(5_000) {
        let mut prefix = BytesMut::from(&b"\x02g\0\0\0\0\x02m\0\x02\x02t"[..]);
        let announced = count + 1;
        prefix.put_slice(&[announced as u8 | 0x80, (announced >> 7) as u8 | 0x80, (announced >> 14) as u8]);
        let partition = [&[0; 17][..], &[1, 9, 0]].concat();
        let body = repeated(&prefix, &partition, count, &[0, 0]);
        passed += usize::from(costs_at_most::<OffsetCommitRequest>(allowed(&body), 8, 9, body));
    }
    assert!((1..20).contains(&passed), "{passed} of 20 passed");
}

/// Remembering what to rewrite is memory too.
fn repairs_stay_within_the_budget() {
    let mut passed = 0;
    for count in (50_000..=1_000_000).step_by(50_000) {
        let body = repeated(&(count as u32).to_be_bytes(), b"\0\x01\xff", count, &[]);
        passed += usize::from(costs_at_most::<DescribeGroupsRequest>(allowed(&body), 15, 0, body));
    }
    assert!((1..20).contains(&passed), "{passed} of 20 passed");
}

/// The frame of a producer, the largest there is, is not copied.
fn a_large_produce_body_costs_next_to_nothing() {
    let records = 8 * MEBIBYTE;
    let mut body = BytesMut::with_capacity(records + 100);
    body.put_slice(b"\xff\xff\0\x01\0\0\0\x64\0\0\0\x01\0\x01t\0\0\0\x01\0\0\0\0");
    body.put_i32(records as i32);
    body.put_bytes(7, records);
    assert!(costs_at_most::<ProduceRequest>(1000, 0, 7, body.freeze()));
}

#[test]
fn memory_is_bounded_by_the_size_of_the_body() {
    announced_counts_reserve_nothing();
    empty_elements_stay_within_the_budget();
    unknown_tagged_fields_stay_within_the_budget();
    repairs_stay_within_the_budget();
    a_large_produce_body_costs_next_to_nothing();
}
