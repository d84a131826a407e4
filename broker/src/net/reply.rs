//! Replies, and how they get onto the wire.
//!
//! What lies on the disk is read when the socket takes it, a piece at a time: a client that asks for fifty megabytes
//! and never reads them holds no memory. What has to be in memory is counted; when all of it is too much, clients
//! that take nothing are closed.

use super::connection::{End, Surroundings};
use bytes::{Buf, Bytes};
use std::{
    collections::VecDeque,
    io::{self, IoSlice},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpStream, time::timeout};

/// Read from the disk and written to the socket at a time.
const CHUNK_BYTES: usize = 128 * 1024;

/// Slices that one system call takes.
const SLICES: usize = 64;

/// What to do after a frame was handled.
#[derive(Debug)]
pub enum Reply {
    /// Write these pieces, which make up one frame with its length.
    Send(Vec<Piece>),
    /// The request has no answer (acks=0).
    Nothing,
    /// Close the connection; the text says why, for the log. Empty: close without a line.
    Close(String),
}

/// A part of a reply.
pub enum Piece {
    Bytes(Bytes),
    Stored(Arc<dyn Stored>),
}

/// Bytes that lie somewhere else, most likely on a disk, until the socket takes them.
pub trait Stored: Send + Sync {
    fn byte_len(&self) -> usize;

    /// Fills `into` with the bytes from `at` on; `false` when that would mean waiting, which only `may_wait` allows.
    /// The error is a sentence for the log.
    fn read(&self, at: usize, into: &mut [u8], may_wait: bool) -> Result<bool, String>;
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Piece::Bytes(bytes) => bytes.len(),
            Piece::Stored(stored) => stored.byte_len(),
        }
    }
}

impl From<Bytes> for Piece {
    fn from(bytes: Bytes) -> Self {
        Piece::Bytes(bytes)
    }
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Piece::Bytes(bytes) => bytes.fmt(f),
            Piece::Stored(stored) => write!(f, "{} stored bytes", stored.byte_len()),
        }
    }
}

/// Bytes of replies in memory that sockets have not taken yet, in the whole broker.
#[derive(Debug)]
pub struct Unsent {
    bytes: AtomicUsize,
    /// Above it, whoever takes nothing is closed.
    limit: usize,
}

impl Unsent {
    pub fn new(limit: usize) -> Self {
        Unsent { bytes: AtomicUsize::new(0), limit }
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn is_too_much(&self) -> bool {
        self.bytes() > self.limit
    }
}

/// One reply's share of [`Unsent`].
struct Counted<'a>(&'a Unsent, usize);

impl<'a> Counted<'a> {
    fn new(unsent: &'a Unsent, pieces: &[Piece]) -> Self {
        let in_memory = |piece: &Piece| if let Piece::Bytes(bytes) = piece { bytes.len() } else { 0 };
        let bytes = pieces.iter().map(in_memory).sum();
        unsent.bytes.fetch_add(bytes, Ordering::Relaxed);
        Counted(unsent, bytes)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.bytes.fetch_sub(self.1, Ordering::Relaxed);
    }
}

/// Writes all pieces, as fast as the client takes them.
pub(super) async fn write(stream: &TcpStream, pieces: Vec<Piece>, around: &Surroundings) -> Result<(), End> {
    let _counted = Counted::new(&around.unsent, &pieces);
    let mut rest = Rest { pieces: pieces.into(), taken: 0 };
    let mut chunk = Vec::new();
    loop {
        rest.skip_empty();
        if rest.pieces.is_empty() {
            return Ok(());
        }
        writable(stream, around).await?;
        let written = match rest.is_in_memory() {
            true => rest.write_slices(stream),
            false => {
                rest.fill(&mut chunk).await?;
                stream.try_write(&chunk)
            }
        };
        match written {
            Ok(0) => return Err(End::Quiet),
            Ok(written) => {
                if written < chunk.len() {
                    chunk = Vec::new();
                }
                rest.advance(written);
            }
            // What was read is read again: nobody knows when there will be room.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => chunk = Vec::new(),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until the client takes more; not for ever.
async fn writable(stream: &TcpStream, around: &Surroundings) -> Result<(), End> {
    let mut waited = Duration::ZERO;
    while waited < around.idle {
        let step = around.stall.min(around.idle - waited);
        if let Ok(ready) = timeout(step, stream.writable()).await {
            return Ok(ready?);
        }
        waited += step;
        if around.unsent.is_too_much() {
            return Err(End::Refused("it does not read its answers, and too many of them wait".into()));
        }
    }
    Err(End::Quiet)
}

/// What is left of a reply.
struct Rest {
    pieces: VecDeque<Piece>,
    /// Bytes of the first piece, if that is a stored one, that are written.
    taken: usize,
}

impl Rest {
    fn skip_empty(&mut self) {
        while self.pieces.front().is_some_and(|piece| piece.len() == self.taken) {
            self.pieces.pop_front();
            self.taken = 0;
        }
    }

    fn is_in_memory(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Bytes(_)))
    }

    /// Writes as much as one call takes; all pieces are in memory.
    fn write_slices(&self, stream: &TcpStream) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); SLICES];
        let mut count = 0;
        for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
            if let Piece::Bytes(bytes) = piece {
                *slice = IoSlice::new(bytes);
                count += 1;
            }
        }
        stream.try_write_vectored(&slices[..count])
    }

    /// Puts the next bytes of all pieces together.
    async fn fill(&self, chunk: &mut Vec<u8>) -> Result<(), End> {
        let left: usize = self.pieces.iter().map(Piece::len).sum();
        chunk.resize(CHUNK_BYTES.min(left - self.taken), 0);
        let (mut filled, mut at) = (0, self.taken);
        for piece in &self.pieces {
            let len = (piece.len() - at).min(chunk.len() - filled);
            let into = &mut chunk[filled..filled + len];
            match piece {
                Piece::Bytes(bytes) => into.copy_from_slice(&bytes[at..at + len]),
                Piece::Stored(stored) => read(stored, at, into).await.map_err(End::Refused)?,
            }
            filled += len;
            at = 0;
            if filled == chunk.len() {
                break;
            }
        }
        Ok(())
    }

    fn advance(&mut self, mut written: usize) {
        while written > 0 {
            let front = self.pieces.front_mut().expect("no more is written than there is");
            let step = written.min(front.len() - self.taken);
            match front {
                Piece::Bytes(bytes) => bytes.advance(step),
                Piece::Stored(_) => self.taken += step,
            }
            written -= step;
            self.skip_empty();
        }
    }
}

/// Reads at once what is cached, and elsewhere what has to be waited for.
async fn read(stored: &Arc<dyn Stored>, at: usize, into: &mut [u8]) -> Result<(), String> {
    if stored.read(at, into, false)? {
        return Ok(());
    }
    let (stored, len) = (stored.clone(), into.len());
    let waiting = tokio::task::spawn_blocking(move || {
        let mut bytes = vec![0; len];
        stored.read(at, &mut bytes, true).map(|_| bytes)
    });
    let bytes = waiting.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
    into.copy_from_slice(&bytes);
    Ok(())
}
