//! The bytes that reach the disk are those of the frame: nothing between the two moves a payload.

use crate::{
    api::produce,
    testing::{Bench, NOW, batch_of, to},
};
use bytes::{Bytes, BytesMut};
use kafka_protocol::{
    messages::{ProduceRequest, RequestHeader},
    protocol::Encodable,
};
use protocol_glue::{codec, header, preflight};
use std::{
    io::{self, IoSlice},
    path::Path,
    sync::{Arc, Mutex},
};
use storage::disk::{Disk, File, RealDisk, Stat, Wait};

/// Remembers where in memory each part of each write to a `.log` file lay, and how long it was.
#[derive(Clone, Default)]
struct Watching(Arc<Mutex<Vec<(usize, usize)>>>);

struct WatchedFile(Arc<dyn File>, Watching);

impl File for WatchedFile {
    fn read_at(&self, buf: &mut [u8], position: u64, wait: Wait) -> io::Result<usize> {
        self.0.read_at(buf, position, wait)
    }
    fn write_at(&self, parts: &[IoSlice<'_>], position: u64) -> io::Result<()> {
        let places = parts.iter().map(|part| (part.as_ptr() as usize, part.len()));
        self.1.0.lock().expect("no panic").extend(places);
        self.0.write_at(parts, position)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }
    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

impl Disk for Watching {
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn File>> {
        let file = RealDisk.open(path, create)?;
        let is_log = path.extension().is_some_and(|ending| ending == "log");
        Ok(if is_log { Arc::new(WatchedFile(file, self.clone())) } else { file })
    }
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        RealDisk.stat(path)
    }
    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        RealDisk.list(dir)
    }
    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        RealDisk.make_dir(dir)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn rename_unsynced(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename_unsynced(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        RealDisk.sync_dir(dir)
    }
}

fn frame(version: i16, request: &ProduceRequest) -> Bytes {
    let mut frame = BytesMut::new();
    let header = RequestHeader::default().with_request_api_key(0).with_request_api_version(version);
    header.encode(&mut frame, if version >= 9 { 2 } else { 1 }).expect("a header");
    request.encode(&mut frame, version).expect("a request");
    frame.freeze()
}

#[tokio::test]
async fn what_is_written_to_the_log_lies_in_the_frame() {
    let disk = Watching::default();
    let mut bench = Bench::on(Arc::new(disk.clone()));
    bench.topic("t", 2, |_| {});
    for version in [7, 9] {
        let large = || batch_of(900_000).bytes();
        let mut body = frame(version, &to("t", &[(0, large()), (1, large())]));
        let place = body.as_ptr() as usize..body.as_ptr() as usize + body.len();
        disk.0.lock().expect("no panic").clear();

        header::RequestHeader::take(&mut body).expect("a header");
        let mut body = preflight::check(0, version, body).expect("a good body");
        let request = codec::decode_body(&mut body, version).expect("it was checked");
        produce::handle(version, request, "p", &bench.logs, &bench.image, &bench.budget, NOW).await;

        let written = disk.0.lock().expect("no panic").clone();
        let payloads: Vec<_> = written.iter().filter(|(_, len)| *len > 100).collect();
        assert_eq!(payloads.len(), 2, "one write for each batch, of its head and its payload");
        for (start, len) in payloads {
            assert!(*len > 800_000);
            assert!(place.contains(start) && place.contains(&(start + len - 1)), "version {version}: copied");
        }
    }
}
