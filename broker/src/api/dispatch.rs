//! From a frame to a reply: header, look-up in the table, preflight, handler.

use super::{
    api_versions,
    table::{APIS, Api, Call, Outcome, Unanswered, api_of, pieces},
};
use crate::{
    net::{Connection, FrameHandler, Reply},
    services::Services,
};
use bytes::Bytes;
use protocol_glue::{codec, header::RequestHeader, preflight};
use std::{future::Future, pin::Pin};
use tracing::Instrument;

/// The largest frame of an API that carries no records. Group assignments and offset commits of thousands of
/// partitions stay well below.
const LARGEST_PLAIN_FRAME: usize = 16 << 20;

/// Answers frames with the handlers of the table.
pub struct Dispatcher {
    services: Services,
}

impl Dispatcher {
    pub fn new(services: Services) -> Self {
        Dispatcher { services }
    }

    async fn answer(&self, connection: &Connection, mut frame: Bytes) -> Reply {
        let header = match RequestHeader::take(&mut frame) {
            Ok(header) => header,
            Err(error) => return Reply::Close(format!("not a Kafka request: {error}")),
        };
        let Some(api) = api_of(header.api_key) else {
            return Reply::Close(format!(
                "API key {} is not offered here ({})",
                header.api_key,
                who(&header)
            ));
        };
        if !api.versions.contains(&header.api_version) {
            return self.unknown_version(api, connection, &header);
        }
        let span = tracing::debug_span!(
            "request",
            client = %connection.peer,
            client_id = header.client_id.as_deref(),
            software = connection.software.get().map(|(name, version)| format!("{name}/{version}")),
            api = api.name,
            version = header.api_version,
        );
        self.run(api, connection, &header, frame).instrument(span).await
    }

    async fn run(&self, api: &Api, connection: &Connection, header: &RequestHeader, body: Bytes) -> Reply {
        let refuse = |what: &dyn std::fmt::Display| {
            Reply::Close(format!("{} v{}: {what} ({})", api.name, header.api_version, who(header)))
        };
        let body = match preflight::check(header.api_key, header.api_version, body) {
            Ok(body) => body,
            Err(error) => return refuse(&Unanswered::from(error)),
        };
        let call = Call {
            version: header.api_version,
            correlation_id: header.correlation_id,
            client_id: header.client_id.as_deref().unwrap_or_default(),
            connection,
        };
        tracing::debug!("received");
        match (api.run)(&self.services, call, body).await {
            Ok(Outcome::Respond(pieces)) => Reply::Send(pieces),
            Ok(Outcome::Nothing) => Reply::Nothing,
            Ok(Outcome::Close(why)) => Reply::Close(why),
            Err(error) => refuse(&error),
        }
    }

    /// Kafka closes the connection, except that ApiVersions says which versions there are (KIP-511).
    fn unknown_version(&self, api: &Api, connection: &Connection, header: &RequestHeader) -> Reply {
        if api.key == api_versions::KEY {
            let response = api_versions::unsupported_version(api);
            return match codec::encode_response(header.correlation_id, 0, &response, 0) {
                Ok(rope) => Reply::Send(pieces(rope)),
                Err(error) => Reply::Close(error.to_string()),
            };
        }
        let software = connection.software.get().map(|(name, version)| format!(", {name} {version}"));
        Reply::Close(format!(
            "{} v{} is outside v{}-v{} ({}{}); use a client that supports Kafka 2.1 or newer",
            api.name,
            header.api_version,
            api.versions.start(),
            api.versions.end(),
            who(header),
            software.unwrap_or_default(),
        ))
    }
}

/// Names the client in a log line; of a long name the beginning is enough.
fn who(header: &RequestHeader) -> String {
    const SHOWN: usize = 100;
    match header.client_id.as_deref() {
        Some(client_id) => format!("client id {:?}", client_id.chars().take(SHOWN).collect::<String>()),
        None => "no client id".to_owned(),
    }
}

impl FrameHandler for Dispatcher {
    fn largest_frame(&self, api_key: i16) -> usize {
        let configured = self.largest_of_all();
        match api_of(api_key) {
            Some(api) if api.carries_records => configured,
            _ => configured.min(LARGEST_PLAIN_FRAME),
        }
    }

    fn largest_of_all(&self) -> usize {
        self.services.settings.load().socket_request_max_bytes.max(0) as usize
    }

    fn handle<'a>(
        &'a self,
        connection: &'a Connection,
        frame: Bytes,
    ) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        Box::pin(self.answer(connection, frame))
    }

    fn describe(&self, frame: &[u8]) -> String {
        let field = |at: usize| frame.get(at..at + 2).map(|b| i16::from_be_bytes([b[0], b[1]]));
        match (field(0), field(2)) {
            (Some(key), Some(version)) => {
                let name = APIS.iter().find(|api| api.key == key).map_or("an unknown API", |api| api.name);
                format!("{name} (key {key}) v{version}")
            }
            _ => "a frame without a header".into(),
        }
    }
}
