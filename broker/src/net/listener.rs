//! Binds the listeners, takes connections, and ends them when the broker stops.

use super::{
    connection::{Connection, Surroundings, serve},
    limits::ConnectionLimits,
    refusal,
};
use crate::{config::ListenerConfig, open_files};
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::watch,
    task::JoinSet,
};

/// Pause after the system refused a new socket (out of file descriptors, say), so that the loop does not spin.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// A line at most so often about that: clients must not be able to flood the log.
const ACCEPT_WARNING_PERIOD: Duration = Duration::from_secs(60);

/// How long connections get to end after a stop was asked for.
const STOP_LIMIT: Duration = Duration::from_millis(500);

/// The address that clients of one listener are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub listener: String,
    pub host: String,
    pub port: u16,
}

/// Sizes of a connection's kernel buffers, in bytes; `None` leaves them to the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SocketBuffers {
    pub send: Option<usize>,
    pub receive: Option<usize>,
}

impl SocketBuffers {
    /// Kafka's default, 100 KiB, would stop Linux from growing the buffers of a fast connection; so it counts as
    /// not set.
    const KAFKA_DEFAULT: i32 = 102_400;

    /// From `socket.send.buffer.bytes` and `socket.receive.buffer.bytes`.
    pub fn of(send: i32, receive: i32) -> Self {
        let size = |bytes: i32| match bytes {
            Self::KAFKA_DEFAULT => None,
            bytes => usize::try_from(bytes).ok(),
        };
        SocketBuffers { send: size(send), receive: size(receive) }
    }

    fn apply(&self, stream: &TcpStream) {
        use rustix::net::sockopt::{set_socket_recv_buffer_size, set_socket_send_buffer_size};
        // A system that does not grant the size still serves the connection.
        let _ = self.send.map(|bytes| set_socket_send_buffer_size(stream, bytes));
        let _ = self.receive.map(|bytes| set_socket_recv_buffer_size(stream, bytes));
    }
}

/// Told once that the broker stops.
#[derive(Clone, Debug)]
pub struct Shutdown {
    asked: watch::Receiver<bool>,
}

impl Shutdown {
    /// The sender asks for the stop by sending `true`.
    pub fn new() -> (watch::Sender<bool>, Shutdown) {
        let (sender, asked) = watch::channel(false);
        (sender, Shutdown { asked })
    }

    /// Resolves when a stop was asked for (or nobody is left who could).
    pub async fn requested(&mut self) {
        let _ = self.asked.wait_for(|asked| *asked).await;
    }
}

/// Sockets that are bound but do not listen yet.
pub struct Listeners {
    bound: Vec<Bound>,
    endpoints: Vec<Arc<Endpoint>>,
    backlog: u32,
}

struct Bound {
    socket: TcpSocket,
    address: SocketAddr,
    endpoint: Arc<Endpoint>,
}

impl Listeners {
    /// Binds every address of every listener. Clients cannot connect before [`Listeners::accept`].
    pub fn bind(configs: &[ListenerConfig], backlog: i32) -> Result<Self, String> {
        let mut bound = Vec::new();
        let mut endpoints = Vec::new();
        for config in configs {
            let sockets = bind_one(config)?;
            let (_, first) = sockets[0];
            let endpoint = Arc::new(Endpoint {
                listener: config.name.clone(),
                host: config.advertised_host.clone().unwrap_or_else(|| first.ip().to_string()),
                port: config.advertised_port.unwrap_or(first.port()),
            });
            endpoints.push(endpoint.clone());
            bound.extend(sockets.into_iter().map(|(socket, address)| Bound {
                socket,
                address,
                endpoint: endpoint.clone(),
            }));
        }
        Ok(Listeners { bound, endpoints, backlog: backlog.clamp(1, 65_535) as u32 })
    }

    /// One per listener, in the order of the settings.
    pub fn endpoints(&self) -> &[Arc<Endpoint>] {
        &self.endpoints
    }

    /// Every address that was bound.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.bound.iter().map(|bound| bound.address).collect()
    }

    /// Listens and serves until a stop is asked for and all connections have ended (or were given up).
    pub fn accept(
        self,
        limits: Arc<ConnectionLimits>,
        around: Arc<Surroundings>,
    ) -> Result<impl Future<Output = ()>, String> {
        let mut listeners = Vec::new();
        for Bound { socket, address, endpoint } in self.bound {
            let listener = socket.listen(self.backlog).map_err(|error| cannot_listen(address, &error))?;
            listeners.push((listener, endpoint));
        }
        Ok(async move {
            let mut loops = JoinSet::new();
            for (listener, endpoint) in listeners {
                loops.spawn(accept_loop(listener, endpoint, limits.clone(), around.clone()));
            }
            while loops.join_next().await.is_some() {}
        })
    }
}

fn bind_one(config: &ListenerConfig) -> Result<Vec<(TcpSocket, SocketAddr)>, String> {
    let mut sockets: Vec<(TcpSocket, SocketAddr)> = Vec::new();
    let mut unavailable = None;
    for &host in &config.hosts {
        // With port 0 the first address chooses and the others follow.
        let port = sockets.first().map_or(config.port, |(_, address)| address.port());
        match bind_socket(SocketAddr::new(host, port)) {
            Ok(socket) => sockets.push(socket),
            // A machine without IPv6 still serves a listener that has an IPv4 address too.
            Err(error) if no_such_address(&error) && config.hosts.len() > 1 => {
                unavailable = Some((SocketAddr::new(host, port), error));
            }
            Err(error) => return Err(cannot_listen(SocketAddr::new(host, port), &error)),
        }
    }
    match (sockets.is_empty(), unavailable) {
        (false, _) => Ok(sockets),
        (true, Some((address, error))) => Err(cannot_listen(address, &error)),
        (true, None) => Err(format!("listeners: {} names no address", config.name)),
    }
}

fn bind_socket(address: SocketAddr) -> io::Result<(TcpSocket, SocketAddr)> {
    let socket = match address.ip() {
        IpAddr::V4(_) => TcpSocket::new_v4()?,
        IpAddr::V6(_) => {
            let socket = TcpSocket::new_v6()?;
            // "::" must not take the port from "0.0.0.0", which is bound beside it.
            rustix::net::sockopt::set_ipv6_v6only(&socket, true)?;
            socket
        }
    };
    // A broker that is restarted at once must get its port back from connections in TIME_WAIT.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let address = socket.local_addr()?;
    Ok((socket, address))
}

fn no_such_address(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrNotAvailable
        || error.raw_os_error() == Some(97 /* EAFNOSUPPORT */)
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "cannot listen on {address}: another program uses that port; stop it or set listeners to another one"
        ),
        _ => format!("cannot listen on {address}: {error}"),
    }
}

async fn accept_loop(
    listener: TcpListener,
    endpoint: Arc<Endpoint>,
    limits: Arc<ConnectionLimits>,
    around: Arc<Surroundings>,
) {
    let mut shutdown = around.shutdown.clone();
    let mut connections = JoinSet::new();
    let mut last_warning: Option<Instant> = None;
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown.requested() => break,
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
        };
        match accepted {
            Ok((stream, peer)) => {
                if let Some(task) = admit(stream, peer, &endpoint, &limits, &around) {
                    connections.spawn(task);
                }
                let pause = limits.pause_before_next(Instant::now());
                if !pause.is_zero() {
                    // A stop does not wait for the next connection to be due.
                    let _ = tokio::time::timeout(pause, shutdown.requested()).await;
                }
            }
            Err(error) => {
                // Files that can be opened again make room; the client waits in the backlog until then.
                open_files::make_room();
                if last_warning.is_none_or(|last| last.elapsed() > ACCEPT_WARNING_PERIOD) {
                    last_warning = Some(Instant::now());
                    let listener = &endpoint.listener;
                    tracing::warn!(
                        "cannot take a connection on {listener}: {error}; raise the limit of open files"
                    );
                }
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }
    drop(listener);
    let _ =
        tokio::time::timeout(STOP_LIMIT, async { while connections.join_next().await.is_some() {} }).await;
}

fn admit(
    stream: TcpStream,
    peer: SocketAddr,
    endpoint: &Arc<Endpoint>,
    limits: &Arc<ConnectionLimits>,
    around: &Arc<Surroundings>,
) -> Option<impl Future<Output = ()> + use<>> {
    let slot = match limits.admit(peer.ip()) {
        Ok(slot) => slot,
        Err(refused) => {
            refusal::log(peer, &endpoint.listener, &refused.to_string());
            return None;
        }
    };
    // Small answers must not wait for a timer.
    let _ = stream.set_nodelay(true);
    around.buffers.apply(&stream);
    let connection = Connection { peer, endpoint: endpoint.clone(), software: OnceLock::new() };
    let around = around.clone();
    Some(async move {
        serve(stream, connection, &around).await;
        drop(slot);
    })
}
