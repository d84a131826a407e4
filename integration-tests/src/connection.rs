//! One TCP connection that speaks frames. Everything unexpected is a panic: this is a test's own client.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use kafka_protocol::{
    messages::{RequestHeader, ResponseHeader},
    protocol::{Decodable, Encodable, HeaderVersion, Request},
};
use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// An answer that takes longer counts as none.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

pub struct Connection {
    stream: TcpStream,
    correlation_id: i32,
    client_id: Option<String>,
}

/// What came next on the socket.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// A frame, without its length.
    Frame(Bytes),
    /// The broker closed the connection.
    Closed,
    /// Nothing within the time given.
    Silence,
}

impl Connection {
    pub fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).unwrap_or_else(|error| panic!("connect {address}: {error}"));
        stream.set_nodelay(true).expect("a TCP socket");
        Connection { stream, correlation_id: 0, client_id: Some("raw-frames".to_owned()) }
    }

    /// The name this connection gives in its request headers.
    pub fn with_client_id(mut self, client_id: Option<&str>) -> Connection {
        self.client_id = client_id.map(str::to_owned);
        self
    }

    /// Sends a request and reads its answer.
    pub fn ask<R: Request>(&mut self, version: i16, request: &R) -> R::Response {
        let sent = self.send(version, request);
        let (answered, response) = self.answer::<R>(version);
        assert_eq!(answered, sent, "correlation id");
        response
    }

    /// Sends a request; the correlation id is returned.
    pub fn send<R: Request>(&mut self, version: i16, request: &R) -> i32 {
        self.correlation_id += 1;
        let frame = self.frame(version, request, self.correlation_id);
        self.write(&frame);
        self.correlation_id
    }

    /// The bytes of a request, length first.
    pub fn frame<R: Request>(&self, version: i16, request: &R, correlation_id: i32) -> Bytes {
        let header = RequestHeader::default()
            .with_request_api_key(R::KEY)
            .with_request_api_version(version)
            .with_correlation_id(correlation_id)
            .with_client_id(self.client_id.as_deref().map(crate::text));
        let mut body = BytesMut::new();
        header.encode(&mut body, R::header_version(version)).expect("a header that the version allows");
        request.encode(&mut body, version).expect("a request that the version allows");
        with_length(&body)
    }

    /// Reads the answer to a request of this kind and version, to its last byte: (correlation id, response).
    pub fn answer<R: Request>(&mut self, version: i16) -> (i32, R::Response) {
        match self.next(ANSWER_WITHIN) {
            Next::Frame(frame) => decode::<R>(frame, version),
            other => panic!("api {} version {version}: {other:?} instead of an answer", R::KEY),
        }
    }

    /// Sends bytes as they are. A broker that has closed already is noticed by the next read.
    pub fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Waits for the next frame.
    pub fn next(&mut self, within: Duration) -> Next {
        self.stream.set_read_timeout(Some(within)).expect("not zero");
        let mut length = [0; 4];
        match self.stream.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) => return not_a_frame(error),
        }
        let length = usize::try_from(i32::from_be_bytes(length)).expect("no negative length from a broker");
        self.stream.set_read_timeout(Some(ANSWER_WITHIN)).expect("not zero");
        let mut frame = vec![0; length];
        match self.stream.read_exact(&mut frame) {
            Ok(()) => Next::Frame(frame.into()),
            Err(error) => not_a_frame(error),
        }
    }

    /// The broker must close this connection without another byte.
    pub fn assert_closed(&mut self) {
        assert_eq!(self.next(ANSWER_WITHIN), Next::Closed);
    }

    /// Nothing may come within this time, and the connection stays.
    pub fn assert_silent(&mut self, within: Duration) {
        assert_eq!(self.next(within), Next::Silence);
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

/// Puts the length in front.
pub fn with_length(body: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(body.len() + 4);
    frame.put_i32(i32::try_from(body.len()).expect("a test's frame"));
    frame.put_slice(body);
    frame.freeze()
}

/// Decodes a response frame; a byte left over is a failure.
pub fn decode<R: Request>(mut frame: Bytes, version: i16) -> (i32, R::Response) {
    let header =
        ResponseHeader::decode(&mut frame, R::Response::header_version(version)).expect("a response header");
    let response = R::Response::decode(&mut frame, version)
        .unwrap_or_else(|error| panic!("api {} version {version}: {error}", R::KEY));
    assert_eq!(frame.remaining(), 0, "api {} version {version}: bytes after the response", R::KEY);
    (header.correlation_id, response)
}

fn not_a_frame(error: std::io::Error) -> Next {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Next::Silence,
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => Next::Closed,
        _ => panic!("reading: {error}"),
    }
}
