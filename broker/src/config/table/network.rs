//! Listeners, connections, requests and threads.

use crate::config::setting::{Check::*, settings};

const INERT: &str = "Accepted; has no effect in Daybook.";

settings! { TABLE:
    "advertised.listeners" List null, Static, Any, "What clients are told to connect to, by listener name. Without it: the addresses in `listeners`.";
    "background.threads" Int "10", Cluster, AtLeast(1), INERT;
    "connections.max.idle.ms" Long "600000", Static, Any, "A connection that is silent for so long is closed; negative keeps it for ever.";
    "controller.listener.names" List null, Static, Any, "Listeners with these names in `listeners` are skipped: Daybook needs no controller listener.";
    "delete.records.purgatory.purge.interval.requests" Int "1", Static, Any, INERT;
    "early.start.listeners" List null, Static, Any, INERT;
    "fetch.max.bytes" Int "57671680", Static, AtLeast(1024), "Most bytes one fetch is answered with, whatever the client asks for.";
    "fetch.purgatory.purge.interval.requests" Int "1000", Static, Any, INERT;
    "inter.broker.listener.name" String null, Static, Any, "Accepted, and must name a listener; a single node makes no connections to itself.";
    "listener.security.protocol.map" String "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT", PerBroker, Any, "Protocol of each listener name. Only PLAINTEXT can be listened on for now.";
    "listeners" List "PLAINTEXT://localhost:9092", PerBroker, Any, "Addresses to listen on: `NAME://host:port`, separated by commas. An empty host is every interface, port 0 any free port.";
    "max.connection.creation.rate" Int "2147483647", Cluster, AtLeast(0), "Most new connections a second.";
    "max.connections" Int "2147483647", Cluster, AtLeast(0), "Most connections at one time.";
    "max.connections.per.ip" Int "2147483647", Cluster, AtLeast(0), "Most connections from one address at one time.";
    "max.connections.per.ip.overrides" String "", Cluster, Any, "Other limits for some addresses: `address:count`, separated by commas.";
    "max.incremental.fetch.session.cache.slots" Int "1000", Static, AtLeast(0), "How many fetch sessions are remembered.";
    "max.request.partition.size.limit" Int "2000", Static, AtLeast(1), "Most partitions in one answer about topics.";
    "num.io.threads" Int "8", Cluster, AtLeast(1), INERT;
    "num.network.threads" Int "3", Cluster, AtLeast(1), INERT;
    "producer.purgatory.purge.interval.requests" Int "1000", Static, Any, INERT;
    "queued.max.request.bytes" Long "-1", Static, Any, "Most bytes of requests in work or waiting; -1 or 0 sets no bound.";
    "queued.max.requests" Int "500", Static, AtLeast(1), "Accepted; a request is worked on as soon as it is read, so that none ever waits in a queue.";
    "request.timeout.ms" Int "30000", Static, Any, INERT;
    "security.inter.broker.protocol" String "PLAINTEXT", Static, OneOf(&["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]), "Accepted; a single node makes no connections to itself.";
    "socket.connection.setup.timeout.max.ms" Long "30000", Static, Any, INERT;
    "socket.connection.setup.timeout.ms" Long "10000", Static, Any, INERT;
    "socket.listen.backlog.size" Int "50", Static, AtLeast(1), "How many connections may wait to be accepted.";
    "socket.receive.buffer.bytes" Int "102400", Static, Any, "Receive buffer of a connection, in bytes; -1 and the default leave it to the system, which sizes it by the traffic.";
    "socket.request.max.bytes" Int "104857600", Static, AtLeast(1), "Largest request a client may send, in bytes.";
    "socket.send.buffer.bytes" Int "102400", Static, Any, "Send buffer of a connection, in bytes; -1 and the default leave it to the system, which sizes it by the traffic.";
}
