//! What one produce takes of memory, from the socket to the file, measured by an allocator that counts.
//!
//! Alone in its file because the allocator is the whole program's, with one test because it counts for all threads. A
//! copy of the records needs somewhere to go: memory beside the frame that the socket was read into.

use broker::{
    config::{self, Sources},
    observe::logging,
    server::Server,
};
use bytes::{BufMut, Bytes, BytesMut};
use kafka_protocol::{
    messages::{
        MetadataRequest, ProduceRequest, ProduceResponse, RequestHeader, ResponseHeader, TopicName,
        metadata_request::MetadataRequestTopic,
        produce_request::{PartitionProduceData, TopicProduceData},
    },
    protocol::{Decodable, Encodable, HeaderVersion, Request, StrBytes},
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    io::{Read, Write},
    net::TcpStream,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use storage::batch::Builder;

struct Counting;

static ALLOCATED_BYTES: AtomicUsize = AtomicUsize::new(0);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came; the counters touch nothing of it.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED_BYTES.fetch_add(layout.size(), Relaxed);
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const VERSION: i16 = 9;
const VALUE_BYTES: usize = 1_000_000;
/// What may be allocated beside the frame: the decoded request, the answer, what tasks and timers take.
const BESIDE_BYTES: usize = 32 * 1024;
const BESIDE_ALLOCATIONS: usize = 200;
const ROUNDS: usize = 10;

fn frame<R: Request>(version: i16, request: &R) -> Bytes {
    let header = RequestHeader::default().with_request_api_key(R::KEY).with_request_api_version(version);
    let mut body = BytesMut::new();
    header.encode(&mut body, R::header_version(version)).expect("a header");
    request.encode(&mut body, version).expect("a request");
    let mut frame = BytesMut::new();
    frame.put_i32(body.len() as i32);
    frame.put_slice(&body);
    frame.freeze()
}

/// Sends a frame and reads the answer without its length into `answer`, which has room for it.
fn ask(stream: &mut TcpStream, frame: &[u8], answer: &mut [u8]) -> usize {
    stream.write_all(frame).expect("sent");
    let mut length = [0; 4];
    stream.read_exact(&mut length).expect("an answer");
    let length = u32::from_be_bytes(length) as usize;
    stream.read_exact(&mut answer[..length]).expect("all of it");
    length
}

fn name() -> TopicName {
    TopicName(StrBytes::from_static_str("t"))
}

fn produce_frame() -> Bytes {
    let mut batch = Builder::new(1_800_000_000_000);
    batch.push(None, Some(&vec![7; VALUE_BYTES]));
    let partition = PartitionProduceData::default().with_records(Some(batch.build().to_bytes()));
    let topic = TopicProduceData::default().with_name(name()).with_partition_data(vec![partition]);
    let request = ProduceRequest::default().with_acks(-1).with_timeout_ms(5000);
    frame(VERSION, &request.with_topic_data(vec![topic]))
}

fn offset_in(answer: &[u8]) -> i64 {
    let mut answer = Bytes::copy_from_slice(answer);
    ResponseHeader::decode(&mut answer, ProduceResponse::header_version(VERSION)).expect("a header");
    let response = ProduceResponse::decode(&mut answer, VERSION).expect("a response");
    let partition = &response.responses[0].partition_responses[0];
    assert_eq!(partition.error_code, 0);
    partition.base_offset
}

#[test]
fn a_produced_payload_is_in_memory_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let overrides = vec![
        ("listeners".to_owned(), "PLAINTEXT://127.0.0.1:0".to_owned()),
        ("log.dirs".to_owned(), folder.path().display().to_string()),
        ("log.message.timestamp.after.max.ms".to_owned(), i64::MAX.to_string()),
    ];
    let loaded = config::load(&Sources { overrides, ..Sources::default() }).expect("settings");
    let levels = logging::start(logging::Format::Text, Some("warn")).expect("nobody else logs here");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let server = runtime.block_on(Server::start(loaded, levels)).expect("starts");

    let mut stream = TcpStream::connect(server.addresses()[0]).expect("connects");
    stream.set_nodelay(true).expect("a socket");
    let mut answer = vec![0; 64 * 1024];
    let topic = MetadataRequestTopic::default().with_name(Some(name()));
    let create =
        MetadataRequest::default().with_topics(Some(vec![topic])).with_allow_auto_topic_creation(true);
    ask(&mut stream, &frame(4, &create), &mut answer);
    let produce = produce_frame();
    // The connection learns from the first that large frames come, and the files are made.
    for _ in 0..3 {
        ask(&mut stream, &produce, &mut answer);
    }

    let before = (ALLOCATED_BYTES.load(Relaxed), ALLOCATIONS.load(Relaxed));
    let mut length = 0;
    for _ in 0..ROUNDS {
        length = ask(&mut stream, &produce, &mut answer);
    }
    let bytes = (ALLOCATED_BYTES.load(Relaxed) - before.0) / ROUNDS;
    let allocations = (ALLOCATIONS.load(Relaxed) - before.1) / ROUNDS;
    println!("one produce of {} bytes: {bytes} bytes in {allocations} allocations", produce.len());
    assert_eq!(offset_in(&answer[..length]), 3 + ROUNDS as i64 - 1);
    assert!(bytes + 1000 >= produce.len(), "the frame itself is counted");
    assert!(bytes <= produce.len() + BESIDE_BYTES, "{bytes} bytes for a frame of {}", produce.len());
    assert!(allocations <= BESIDE_ALLOCATIONS, "{allocations} allocations");
    runtime.block_on(server.stop()).expect("stops");
}
