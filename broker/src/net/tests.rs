//! The connection loop against a handler that echoes: framing, order, limits, panics, stopping.

use super::*;
use crate::config::ListenerConfig;
use bytes::{BufMut, Bytes, BytesMut};
use std::{collections::BTreeMap, future::Future, net::SocketAddr, pin::Pin, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::watch,
    task::JoinHandle,
    time::timeout,
};

const DEADLINE: Duration = Duration::from_secs(10);

/// Answers a frame with itself; special first bytes do special things.
struct Echo;

impl FrameHandler for Echo {
    fn largest_frame(&self, api_key: i16) -> usize {
        if api_key == 0 { 4 << 20 } else { 1000 }
    }
    fn largest_of_all(&self) -> usize {
        4 << 20
    }
    fn handle<'a>(
        &'a self,
        _connection: &'a Connection,
        frame: Bytes,
    ) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        Box::pin(async move {
            match frame.get(2) {
                Some(b'P') => panic!("a handler that panics"),
                Some(b'N') => Reply::Nothing,
                Some(b'C') => Reply::Close("asked to".into()),
                Some(b'W') => std::future::pending().await,
                Some(b'L') => {
                    let stored = Counting(PARTS * PART_BYTES);
                    let mut prefix = BytesMut::new();
                    prefix.put_i32((stored.0 + 4) as i32);
                    let stored = Piece::Stored(Arc::new(stored));
                    let bytes = |text| Piece::from(Bytes::from_static(text));
                    Reply::Send(vec![prefix.freeze().into(), bytes(b"ab"), stored, bytes(b"cd")])
                }
                // More than the buffers of the system hold.
                Some(b'B') => Reply::Send(vec![Piece::Bytes(Bytes::from(vec![0; 64 << 20]))]),
                _ => {
                    let mut prefix = BytesMut::new();
                    prefix.put_i32(frame.len() as i32);
                    Reply::Send([prefix.freeze(), Bytes::new(), frame].map(Piece::from).into())
                }
            }
        })
    }
    fn describe(&self, _frame: &[u8]) -> String {
        "an echo".into()
    }
}

const PART_BYTES: usize = 1000;
const PARTS: usize = 20_000;

/// So many bytes, each of them the number of its part, some of which have to be waited for.
struct Counting(usize);

impl Stored for Counting {
    fn byte_len(&self) -> usize {
        self.0
    }
    fn read(&self, at: usize, into: &mut [u8], may_wait: bool) -> Result<bool, String> {
        assert!(into.len() <= 128 * 1024, "a client that does not read holds no more than this");
        if !may_wait && (at / PART_BYTES).is_multiple_of(3) {
            return Ok(false);
        }
        for (at, byte) in (at..).zip(into) {
            *byte = (at / PART_BYTES) as u8;
        }
        Ok(true)
    }
}

struct Running {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
    around: Arc<Surroundings>,
}

fn start(max_connections: i32, idle: Duration) -> Running {
    let config = ListenerConfig {
        name: "PLAINTEXT".into(),
        hosts: vec!["127.0.0.1".parse().expect("an address")],
        port: 0,
        advertised_host: None,
        advertised_port: None,
    };
    let listeners = Listeners::bind(&[config], 50).expect("a free port");
    let address = listeners.addresses()[0];
    assert_eq!(listeners.endpoints()[0].port, address.port(), "the chosen port is advertised");
    let (stop, shutdown) = Shutdown::new();
    let limits = Arc::new(ConnectionLimits::new(max_connections, i32::MAX, BTreeMap::new(), i32::MAX));
    let around = Arc::new(Surroundings {
        handler: Arc::new(Echo),
        budget: Budget::new(1, 4 << 20),
        unsent: Unsent::new(1 << 20),
        stall: Duration::from_millis(50),
        idle,
        buffers: SocketBuffers::of(64 << 10, -1),
        shutdown,
    });
    let serving = tokio::spawn(listeners.accept(limits, around.clone()).expect("listening"));
    Running { address, stop, serving, around }
}

fn frame(body: &[u8]) -> Vec<u8> {
    [&(body.len() as i32).to_be_bytes(), body].concat()
}

async fn connect(running: &Running) -> TcpStream {
    TcpStream::connect(running.address).await.expect("a connection")
}

async fn send(stream: &mut TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).await.expect("sent");
}

async fn receive(stream: &mut TcpStream) -> Vec<u8> {
    let reading = async {
        let length = stream.read_i32().await.expect("a length");
        let mut body = vec![0; length as usize];
        stream.read_exact(&mut body).await.expect("a body");
        body
    };
    timeout(DEADLINE, reading).await.expect("an answer in time")
}

async fn expect_closed(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    // A reset is an end too: the broker closed with bytes of ours unread.
    let _ = timeout(DEADLINE, stream.read_to_end(&mut rest)).await.expect("the end in time");
    assert!(rest.is_empty(), "nothing was answered");
}

#[tokio::test]
async fn pipelined_frames_are_answered_in_order_however_the_bytes_arrive() {
    let running = start(10, DEADLINE);
    let mut stream = connect(&running).await;
    let mut bytes = frame(b"\0\x01one");
    bytes.extend(frame(b"\0\x01N"));
    bytes.extend(frame(b"\0\x01two"));
    for byte in &bytes {
        send(&mut stream, &[*byte]).await;
    }
    assert_eq!(receive(&mut stream).await, b"\0\x01one");
    assert_eq!(receive(&mut stream).await, b"\0\x01two", "a request without an answer leaves no gap");
    let large: Vec<u8> = [0, 0].into_iter().chain((0..3 << 20).map(|i| i as u8)).collect();
    let mut both = frame(&large);
    both.extend(frame(b"\0\x01small"));
    let (mut reader, mut writer) = stream.split();
    let writing = async { writer.write_all(&both).await.expect("sent") };
    let mut answer = vec![0; large.len() + 4];
    let reading = async { reader.read_exact(&mut answer).await.expect("the large answer") };
    tokio::join!(writing, reading);
    assert_eq!(&answer[4..], &large[..]);
    assert_eq!(receive(&mut stream).await, b"\0\x01small");
}

#[tokio::test]
async fn stored_bytes_arrive_whole_and_in_their_place() {
    let running = start(10, DEADLINE);
    let mut stream = connect(&running).await;
    for _ in 0..2 {
        send(&mut stream, &frame(b"\0\x01L")).await;
        let answer = receive(&mut stream).await;
        let (start, rest) = answer.split_at(2);
        let (stored, end) = rest.split_at(PARTS * PART_BYTES);
        assert_eq!((start, end), (&b"ab"[..], &b"cd"[..]));
        assert!(stored.iter().enumerate().all(|(at, byte)| *byte == (at / PART_BYTES) as u8));
    }
}

/// Resolves once so much is unsent, of the whole broker.
async fn until_unsent(running: &Running, expected: impl Fn(usize) -> bool) {
    let waiting = async {
        while !expected(running.around.unsent.bytes()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(DEADLINE, waiting).await.expect("in time");
}

/// Nobody takes the answer, and too much waits: that connection ends, and no other.
#[tokio::test]
async fn a_client_that_never_reads_is_closed_when_too_much_waits() {
    let running = start(10, Duration::from_secs(3600));
    let (mut deaf, mut good) = (connect(&running).await, connect(&running).await);
    send(&mut deaf, &frame(b"\0\x01B")).await;
    until_unsent(&running, |bytes| bytes > 0).await;
    until_unsent(&running, |bytes| bytes == 0).await;
    send(&mut good, &frame(b"\0\x01still")).await;
    assert_eq!(receive(&mut good).await, b"\0\x01still");
}

/// Halves of frames must not keep the memory that others wait for.
#[tokio::test]
async fn half_a_frame_is_closed_when_others_wait_for_its_memory() {
    let running = start(10, Duration::from_secs(3600));
    let (mut half, mut good) = (connect(&running).await, connect(&running).await);
    let large = frame(&[0; 3 << 20]);
    send(&mut half, &large[..2 << 20]).await;
    let (mut reader, mut writer) = good.split();
    let writing = async { writer.write_all(&large).await.expect("sent") };
    let mut answer = vec![0; large.len()];
    let reading = async { reader.read_exact(&mut answer).await.expect("an answer") };
    timeout(DEADLINE, async { tokio::join!(writing, reading) }).await.expect("in time");
    assert_eq!(answer, large);
    expect_closed(&mut half).await;
}

/// WIRE-04, WIRE-05
#[tokio::test]
async fn impossible_lengths_close_that_connection_only() {
    let running = start(10, DEADLINE);
    let mut good = connect(&running).await;
    for start in
        [&b"\xff\xff\xff\xff"[..], b"GET / HTTP/1.1\r\n\r\n", b"\x7f\xff\xff\xff", &frame(&[1; 1001])]
    {
        let mut bad = connect(&running).await;
        send(&mut bad, start).await;
        expect_closed(&mut bad).await;
    }
    send(&mut good, &frame(b"\0\x01still")).await;
    assert_eq!(receive(&mut good).await, b"\0\x01still");
}

#[tokio::test]
async fn a_panic_in_a_handler_closes_that_connection_only() {
    let running = start(10, DEADLINE);
    let (mut bad, mut good) = (connect(&running).await, connect(&running).await);
    send(&mut bad, &frame(b"\0\x01P")).await;
    expect_closed(&mut bad).await;
    send(&mut good, &frame(b"\0\x01ok")).await;
    assert_eq!(receive(&mut good).await, b"\0\x01ok");
}

#[tokio::test]
async fn over_max_connections_a_new_one_is_closed_and_room_comes_back() {
    let running = start(1, DEADLINE);
    let mut first = connect(&running).await;
    send(&mut first, &frame(b"\0\x01a")).await;
    receive(&mut first).await;
    expect_closed(&mut connect(&running).await).await;
    send(&mut first, &frame(b"\0\x01C")).await;
    expect_closed(&mut first).await;
    let mut next = connect(&running).await;
    send(&mut next, &frame(b"\0\x01b")).await;
    assert_eq!(receive(&mut next).await, b"\0\x01b");
}

/// WIRE-13
#[tokio::test]
async fn an_idle_connection_and_half_a_frame_are_closed_but_a_request_in_work_is_not() {
    let running = start(10, Duration::from_millis(100));
    let (mut idle, mut half, mut busy) =
        (connect(&running).await, connect(&running).await, connect(&running).await);
    send(&mut half, &frame(b"\0\x01never complete")[..7]).await;
    send(&mut busy, &frame(b"\0\x01W")).await;
    expect_closed(&mut idle).await;
    expect_closed(&mut half).await;
    let mut byte = [0; 1];
    let waited = timeout(Duration::from_millis(300), busy.read(&mut byte)).await;
    assert!(waited.is_err(), "a parked request keeps its connection");
}

#[tokio::test]
async fn a_client_that_does_not_read_its_answer_is_given_up() {
    let running = start(1, Duration::from_millis(100));
    let mut deaf = connect(&running).await;
    send(&mut deaf, &frame(b"\0\x01B")).await;
    let given_up = async {
        loop {
            let mut next = connect(&running).await;
            // There is room for one connection only.
            let _ = next.write_all(&frame(b"\0\x01a")).await;
            if next.read_i32().await.is_ok() {
                return;
            }
        }
    };
    timeout(DEADLINE, given_up).await.expect("its place becomes free");
}

#[tokio::test]
async fn a_stop_ends_every_connection_in_under_a_second() {
    let running = start(10, DEADLINE);
    let (mut idle, mut parked) = (connect(&running).await, connect(&running).await);
    let mut deaf = connect(&running).await;
    send(&mut deaf, &frame(b"\0\x01B")).await;
    deaf.readable().await.expect("the answer begins");
    send(&mut idle, &frame(b"\0\x01a")).await;
    receive(&mut idle).await;
    send(&mut parked, &frame(b"\0\x01W")).await;
    running.stop.send(true).expect("it still runs");
    timeout(Duration::from_secs(1), running.serving).await.expect("in under a second").expect("no panic");
    expect_closed(&mut idle).await;
    expect_closed(&mut parked).await;
}
