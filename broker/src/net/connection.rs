//! One connection: reads a frame, has it answered, writes the answer, then reads the next.
//!
//! Kafka answers the requests of a connection in order and works on one at a time; so do we. Bytes that a
//! client sends ahead wait in the kernel, which bounds memory and slows the sender down.

use super::{
    budget::{Budget, Share},
    listener::{Endpoint, Shutdown},
    refusal::{self, looks_like},
};
use bytes::{Buf, Bytes, BytesMut};
use std::{
    future::Future,
    io::{self, IoSlice},
    net::SocketAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, OnceLock},
    task::Poll,
    time::Duration,
};
use tokio::{
    io::AsyncWriteExt,
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};

/// The length that stands before each frame.
const PREFIX_BYTES: usize = 4;

/// Room made before a read when nothing is known about what comes.
const READ_BYTES: usize = 8 * 1024;

/// A frame up to this size gets its whole buffer at once, so that its bytes are never moved. Larger ones grow
/// with what arrives: a length alone must not reserve 100 MiB.
const WHOLE_FRAME_BYTES: usize = (1 << 20) + (64 << 10);

/// After a stop was asked for, a request in work has this long to be answered before it is given up.
const STOP_GRACE: Duration = Duration::from_millis(250);

/// Who is connected, for handlers and logs.
#[derive(Debug)]
pub struct Connection {
    pub peer: SocketAddr,
    /// The listener this connection came in on, with the address clients are told for it.
    pub endpoint: Arc<Endpoint>,
    /// Name and version of the client's software, once ApiVersions told them.
    pub software: OnceLock<(String, String)>,
}

/// What to do after a frame was handled.
#[derive(Debug)]
pub enum Reply {
    /// Write these pieces, which make up one frame with its length.
    Send(Vec<Bytes>),
    /// The request has no answer (acks=0).
    Nothing,
    /// Close the connection; the text says why, for the log. Empty: close without a line.
    Close(String),
}

/// What turns frames into replies.
pub trait FrameHandler: Send + Sync + 'static {
    /// The largest frame accepted for a request that starts with this API key.
    fn largest_frame(&self, api_key: i16) -> usize;

    /// The largest frame accepted at all.
    fn largest_of_all(&self) -> usize;

    /// Answers one frame (without its length).
    fn handle<'a>(
        &'a self,
        connection: &'a Connection,
        frame: Bytes,
    ) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

    /// Describes a frame for the log line about a panic: API, version, client.
    fn describe(&self, frame: &[u8]) -> String;
}

/// What a connection loop needs besides its socket.
pub struct Surroundings {
    pub handler: Arc<dyn FrameHandler>,
    pub budget: Budget,
    pub idle: Duration,
    pub shutdown: Shutdown,
}

/// Why a connection ended.
enum End {
    /// The client left, or idled too long, or we are stopping.
    Quiet,
    Refused(String),
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        End::Quiet
    }
}

/// Serves one connection until it ends.
pub async fn serve(mut stream: TcpStream, connection: Connection, around: &Surroundings) {
    let mut shutdown = around.shutdown.clone();
    if let End::Refused(why) = run(&mut stream, &connection, around, &mut shutdown).await {
        refusal::log(connection.peer, &connection.endpoint.listener, &why);
    }
}

async fn run(
    stream: &mut TcpStream,
    connection: &Connection,
    around: &Surroundings,
    shutdown: &mut Shutdown,
) -> End {
    let mut buffer = BytesMut::new();
    loop {
        let (frame, share) = tokio::select! {
            biased;
            () = shutdown.requested() => return End::Quiet,
            read = read_frame(stream, &mut buffer, around) => match read {
                Ok(read) => read,
                Err(end) => return end,
            },
        };
        let reply = match answer(connection, around, shutdown, frame).await {
            Ok(reply) => reply,
            Err(end) => return end,
        };
        drop(share);
        match reply {
            Reply::Send(pieces) => {
                if write_all(stream, pieces, around.idle).await.is_err() {
                    return End::Quiet;
                }
            }
            Reply::Nothing => {}
            Reply::Close(why) if why.is_empty() => return End::Quiet,
            Reply::Close(why) => return End::Refused(why),
        }
    }
}

/// Has the frame handled. A panic in there ends this connection only (D13).
async fn answer(
    connection: &Connection,
    around: &Surroundings,
    shutdown: &mut Shutdown,
    frame: Bytes,
) -> Result<Reply, End> {
    let start = frame.slice(..frame.len().min(64));
    let mut handling = around.handler.handle(connection, frame);
    let guarded = std::future::poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| handling.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(reply)) => Poll::Ready(Some(reply)),
            Err(_panic) => Poll::Ready(None),
        }
    });
    let reply = tokio::select! {
        biased;
        reply = guarded => reply,
        () = shutdown.requested_and(STOP_GRACE) => return Err(End::Quiet),
    };
    reply.ok_or_else(|| {
        let what = around.handler.describe(&start);
        tracing::error!(client = %connection.peer, "a bug: handling {what} panicked; please report it");
        End::Refused(format!("handling {what} failed unexpectedly"))
    })
}

async fn read_frame(
    stream: &mut TcpStream,
    buffer: &mut BytesMut,
    around: &Surroundings,
) -> Result<(Bytes, Share), End> {
    let mut share = Share::default();
    fill(stream, buffer, PREFIX_BYTES, READ_BYTES, around.idle).await?;
    let declared = i32::from_be_bytes(buffer[..PREFIX_BYTES].try_into().expect("four bytes were read"));
    let length = checked_length(declared, buffer, around.handler.largest_of_all())?;
    // The API key decides how large the frame may be.
    fill(stream, buffer, PREFIX_BYTES + length.min(2), READ_BYTES, around.idle).await?;
    if length >= 2 {
        let key = i16::from_be_bytes([buffer[PREFIX_BYTES], buffer[PREFIX_BYTES + 1]]);
        let largest = around.handler.largest_frame(key);
        if length > largest {
            return Err(End::Refused(format!(
                "a frame of {length} bytes for API key {key} is larger than the {largest} it may have"
            )));
        }
    }
    buffer.advance(PREFIX_BYTES);
    while buffer.len() < length {
        let step = if length <= WHOLE_FRAME_BYTES {
            length
        } else {
            length.min((buffer.len() * 2).max(WHOLE_FRAME_BYTES))
        };
        if step > READ_BYTES && !around.budget.grow(&mut share, step).await {
            return Err(End::Refused(
                "too many request bytes are in flight; raise queued.max.request.bytes or lower the load"
                    .into(),
            ));
        }
        let room = step.saturating_sub(buffer.len()).max(1);
        fill(stream, buffer, step, room, around.idle).await?;
    }
    let frame = buffer.split_to(length).freeze();
    if buffer.is_empty() {
        // The frame owns the memory now; an idle connection keeps none.
        *buffer = BytesMut::new();
    }
    Ok((frame, share))
}

fn checked_length(declared: i32, buffer: &[u8], largest: usize) -> Result<usize, End> {
    match usize::try_from(declared) {
        Ok(length) if length <= largest => Ok(length),
        _ => {
            let hint = looks_like(buffer).map(|hint| format!(": {hint}")).unwrap_or_default();
            Err(End::Refused(format!(
                "a frame length of {declared} is outside 0..={largest} (socket.request.max.bytes){hint}"
            )))
        }
    }
}

/// Reads until `buffer` holds `wanted` bytes. Memory is taken only once there is something to read.
async fn fill(
    stream: &mut TcpStream,
    buffer: &mut BytesMut,
    wanted: usize,
    room: usize,
    idle: Duration,
) -> Result<(), End> {
    while buffer.len() < wanted {
        match timeout(idle, stream.readable()).await {
            Ok(ready) => ready?,
            Err(_idle) => return Err(End::Quiet),
        }
        buffer.reserve(room.min(wanted.saturating_sub(buffer.len()).max(READ_BYTES)));
        match stream.try_read_buf(buffer) {
            Ok(0) => return Err(End::Quiet),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Writes all pieces with as few calls as the kernel allows. A client that reads nothing for as long as `idle` is given
/// up: its answer would stay in memory for ever.
async fn write_all(stream: &mut TcpStream, pieces: Vec<Bytes>, idle: Duration) -> io::Result<()> {
    const SLICES: usize = 64;
    let mut pieces = std::collections::VecDeque::from(pieces);
    while !pieces.is_empty() {
        let mut slices = [IoSlice::new(&[]); SLICES];
        let mut count = 0;
        for (slice, piece) in slices.iter_mut().zip(&pieces) {
            *slice = IoSlice::new(piece);
            count += 1;
        }
        let mut written = timeout(idle, stream.write_vectored(&slices[..count])).await??;
        if written == 0 && pieces.iter().take(count).any(|piece| !piece.is_empty()) {
            return Err(io::ErrorKind::WriteZero.into());
        }
        while let Some(front) = pieces.front_mut() {
            if front.len() > written {
                front.advance(written);
                break;
            }
            written -= front.len();
            pieces.pop_front();
        }
    }
    Ok(())
}

impl Shutdown {
    /// Resolves `grace` after a stop was asked for.
    async fn requested_and(&mut self, grace: Duration) {
        self.requested().await;
        let _ = timeout_at(Instant::now() + grace, std::future::pending::<()>()).await;
    }
}
