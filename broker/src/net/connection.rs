//! One connection: reads a frame, has it answered, writes the answer, then reads the next.
//!
//! Kafka answers the requests of a connection in order and works on one at a time; so do we. Bytes that a
//! client sends ahead wait in the kernel, which bounds memory and slows the sender down.

use super::{
    budget::{Budget, Share},
    listener::{Endpoint, Shutdown, SocketBuffers},
    refusal::{self, looks_like},
    reply::{self, Reply, Unsent},
};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use std::{
    future::Future,
    io,
    net::SocketAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, OnceLock},
    task::Poll,
    time::Duration,
};
use tokio::{
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
    pub unsent: Unsent,
    pub idle: Duration,
    /// Whoever neither sends the rest of a frame nor reads its answer for so long is closed when memory is short.
    pub stall: Duration,
    pub buffers: SocketBuffers,
    pub shutdown: Shutdown,
}

/// Why a connection ended.
pub(super) enum End {
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
    let mut incoming = Incoming { buffer: BytesMut::new(), reads_ahead: true };
    loop {
        let (frame, share) = tokio::select! {
            biased;
            () = shutdown.requested() => return End::Quiet,
            read = incoming.frame(stream, around) => match read {
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
                if let Err(end) = reply::write(stream, pieces, around).await {
                    return end;
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

/// What was read and not handled yet.
struct Incoming {
    buffer: BytesMut,
    /// Small frames are read as they come, several at once. After a large one only the head of the next is read
    /// before its own memory is there, so that none of its records is ever moved.
    reads_ahead: bool,
}

impl Incoming {
    async fn frame(&mut self, stream: &TcpStream, around: &Surroundings) -> Result<(Bytes, Share), End> {
        const HEAD_BYTES: usize = PREFIX_BYTES + 2;
        let mut share = Share::default();
        let ahead = if self.reads_ahead { READ_BYTES } else { HEAD_BYTES };
        self.fill(stream, PREFIX_BYTES, ahead, around, false).await?;
        let prefix = self.buffer[..PREFIX_BYTES].try_into().expect("four bytes were read");
        let length =
            checked_length(i32::from_be_bytes(prefix), &self.buffer, around.handler.largest_of_all())?;
        // The API key decides how large the frame may be.
        self.fill(stream, PREFIX_BYTES + length.min(2), ahead, around, false).await?;
        check_length_for_api(&self.buffer[PREFIX_BYTES..], length, around)?;
        self.buffer.advance(PREFIX_BYTES);
        self.reads_ahead = length <= READ_BYTES;
        while self.buffer.len() < length {
            let step = if length <= WHOLE_FRAME_BYTES {
                length
            } else {
                length.min((self.buffer.len() * 2).max(WHOLE_FRAME_BYTES))
            };
            if step > READ_BYTES && !around.budget.grow(&mut share, step).await {
                return Err(End::Refused(
                    "too many request bytes are in flight; raise queued.max.request.bytes or lower the load"
                        .into(),
                ));
            }
            let ahead = if self.reads_ahead { READ_BYTES } else { step };
            self.fill(stream, step, ahead, around, step > READ_BYTES).await?;
        }
        let frame = self.buffer.split_to(length).freeze();
        if self.buffer.is_empty() {
            // The frame owns the memory now; an idle connection keeps none.
            self.buffer = BytesMut::new();
        }
        Ok((frame, share))
    }

    /// Reads until there are `wanted` bytes, and never more than `at_most`. Memory is taken only once there is
    /// something to read.
    async fn fill(
        &mut self,
        stream: &TcpStream,
        wanted: usize,
        at_most: usize,
        around: &Surroundings,
        holds_memory: bool,
    ) -> Result<(), End> {
        while self.buffer.len() < wanted {
            readable(stream, around, holds_memory).await?;
            let room = at_most.max(wanted) - self.buffer.len();
            self.buffer.reserve(room);
            match stream.try_read_buf(&mut (&mut self.buffer).limit(room)) {
                Ok(0) => return Err(End::Quiet),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Waits for the client to send more; whoever holds memory meanwhile must not let others wait for it.
async fn readable(stream: &TcpStream, around: &Surroundings, holds_memory: bool) -> Result<(), End> {
    let mut waited = Duration::ZERO;
    while waited < around.idle {
        let step = if holds_memory { around.stall.min(around.idle - waited) } else { around.idle };
        if let Ok(ready) = timeout(step, stream.readable()).await {
            return Ok(ready?);
        }
        waited += step;
        if holds_memory && around.budget.is_short() {
            return Err(End::Refused("it stopped within a frame, and others wait for the memory".into()));
        }
    }
    Err(End::Quiet)
}

fn check_length_for_api(frame: &[u8], length: usize, around: &Surroundings) -> Result<(), End> {
    let Some(key) = frame.first_chunk().filter(|_| length >= 2).map(|key| i16::from_be_bytes(*key)) else {
        return Ok(());
    };
    let largest = around.handler.largest_frame(key);
    match length <= largest {
        true => Ok(()),
        false => Err(End::Refused(format!(
            "a frame of {length} bytes for API key {key} is larger than the {largest} it may have"
        ))),
    }
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

impl Shutdown {
    /// Resolves `grace` after a stop was asked for.
    async fn requested_and(&mut self, grace: Duration) {
        self.requested().await;
        let _ = timeout_at(Instant::now() + grace, std::future::pending::<()>()).await;
    }
}
