//! InitProducerId (key 22), versions 0 to 5.
//!
//! - Without a transactional id: a fresh producer id with epoch 0, always; what the client had before is forgotten.
//! - 3: the client tells its producer id and epoch, both or neither (KIP-360).
//!
//! Not done yet: transactions. A transactional id is refused with code 53, after which producers stop at once
//! instead of trying for ever.

use kafka_protocol::messages::{InitProducerIdRequest, InitProducerIdResponse, ProducerId};
use parking_lot::Mutex;
use protocol_glue::ErrorCode;
use std::{future::Future, ops::Range, pin::Pin};

/// `transaction.max.timeout.ms`.
const MAX_TRANSACTION_TIMEOUT_MS: i32 = 900_000;
/// No producer id, no epoch.
const NONE: i64 = -1;

/// Gives a producer its id. `client_id` is for the log only.
pub async fn handle(
    _version: i16,
    request: InitProducerIdRequest,
    client_id: &str,
    ids: &ProducerIds,
) -> InitProducerIdResponse {
    let given = match check(&request, client_id) {
        Ok(()) => ids.next().await.map_err(|error| {
            tracing::warn!("no producer id for client {client_id:?}: {error}");
            // Producers try again.
            ErrorCode::CoordinatorLoadInProgress
        }),
        Err(code) => Err(code),
    };
    let response = InitProducerIdResponse::default();
    match given {
        Ok(id) => response.with_producer_id(ProducerId(id)).with_producer_epoch(0),
        Err(code) => response
            .with_error_code(code.code())
            .with_producer_id(ProducerId(NONE))
            .with_producer_epoch(NONE as i16),
    }
}

fn check(request: &InitProducerIdRequest, client_id: &str) -> Result<(), ErrorCode> {
    // Older versions have neither field and so both defaults.
    if (request.producer_id.0 == NONE) != (i64::from(request.producer_epoch) == NONE) {
        return Err(ErrorCode::InvalidRequest);
    }
    let Some(transactional_id) = &request.transactional_id else { return Ok(()) };
    if transactional_id.is_empty() {
        return Err(ErrorCode::InvalidRequest);
    }
    if !(1..=MAX_TRANSACTION_TIMEOUT_MS).contains(&request.transaction_timeout_ms) {
        return Err(ErrorCode::InvalidTransactionTimeout);
    }
    let id = transactional_id.as_str();
    tracing::warn!(
        "client {client_id:?} asked for transactional id {id:?}: transactions are not available yet"
    );
    Err(ErrorCode::TransactionalIdAuthorizationFailed)
}

/// Where blocks of producer ids come from; a block that was given is never given again, not after a crash either.
pub trait BlockSource: Send + Sync {
    fn next_block(&self) -> NextBlock<'_>;
}

/// A block of ids, or why there is none now.
pub type NextBlock<'a> = Pin<Box<dyn Future<Output = Result<Range<i64>, String>> + Send + 'a>>;

/// Producer ids, taken one by one from blocks.
pub struct ProducerIds {
    source: Box<dyn BlockSource>,
    block: Mutex<Range<i64>>,
    /// Only one asks for a block at a time.
    refill: tokio::sync::Mutex<()>,
}

impl ProducerIds {
    pub fn new(source: impl BlockSource + 'static) -> Self {
        Self { source: Box::new(source), block: Mutex::new(0..0), refill: tokio::sync::Mutex::new(()) }
    }

    /// An id that nobody was given before.
    pub async fn next(&self) -> Result<i64, String> {
        loop {
            if let Some(id) = self.block.lock().next() {
                return Ok(id);
            }
            let _alone = self.refill.lock().await;
            // Someone else may have done it while this one waited for its turn.
            if self.block.lock().is_empty() {
                *self.block.lock() = self.source.next_block().await?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kafka_protocol::{
        messages::TransactionalId,
        protocol::{Encodable, StrBytes},
    };
    use std::sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    };

    /// Blocks of three, one after the other; fails when told to.
    #[derive(Default)]
    struct Blocks {
        given: AtomicI64,
        fail: bool,
    }

    impl BlockSource for Arc<Blocks> {
        fn next_block(&self) -> NextBlock<'_> {
            Box::pin(async {
                tokio::task::yield_now().await;
                match self.fail {
                    true => Err("no metadata log".into()),
                    false => {
                        let block = self.given.fetch_add(1, Ordering::SeqCst);
                        Ok(block * 3..block * 3 + 3)
                    }
                }
            })
        }
    }

    fn ids() -> ProducerIds {
        ProducerIds::new(Arc::new(Blocks::default()))
    }

    fn request(
        transactional_id: Option<&str>,
        timeout_ms: i32,
        id: i64,
        epoch: i16,
    ) -> InitProducerIdRequest {
        let transactional_id =
            transactional_id.map(|id| TransactionalId(StrBytes::from_string(id.to_owned())));
        InitProducerIdRequest::default()
            .with_transactional_id(transactional_id)
            .with_transaction_timeout_ms(timeout_ms)
            .with_producer_id(ProducerId(id))
            .with_producer_epoch(epoch)
    }

    #[tokio::test]
    async fn each_request_without_a_transactional_id_gets_a_fresh_id() {
        let ids = ids();
        for (expected, (timeout_ms, id, epoch)) in
            [(60_000, -1, -1), (0, -1, -1), (60_000, 5, 0), (60_000, -2, 0)].into_iter().enumerate()
        {
            let response = handle(4, request(None, timeout_ms, id, epoch), "c", &ids).await;
            let got = (response.error_code, response.producer_id.0, response.producer_epoch);
            assert_eq!(got, (0, expected as i64, 0));
        }
    }

    #[tokio::test]
    async fn ids_are_given_once_even_when_many_ask_at_the_end_of_a_block() {
        let blocks = Arc::new(Blocks::default());
        let ids = Arc::new(ProducerIds::new(blocks.clone()));
        let asking: Vec<_> = (0..30)
            .map(|_| {
                let ids = ids.clone();
                tokio::spawn(async move { ids.next().await.expect("there are blocks") })
            })
            .collect();
        let mut given = Vec::new();
        for asking in asking {
            given.push(asking.await.expect("no panic"));
        }
        given.sort_unstable();
        assert_eq!(given, (0..30).collect::<Vec<_>>());
        assert_eq!(blocks.given.load(Ordering::SeqCst), 10);
    }

    #[tokio::test]
    async fn the_checks_come_in_kafkas_order() {
        let table = [
            ("pid without epoch", request(None, 0, 5, -1), 42),
            ("epoch without pid", request(Some("x"), 0, -1, 0), 42),
            ("empty id", request(Some(""), 0, -1, -1), 42),
            ("timeout 0", request(Some("x"), 0, -1, -1), 50),
            ("timeout -1", request(Some("x"), -1, -1, -1), 50),
            ("timeout too long", request(Some("x"), 900_001, -1, -1), 50),
            ("transactional", request(Some("x"), 900_000, -1, -1), 53),
        ];
        for (case, request, code) in table {
            let response = handle(4, request, "c", &ids()).await;
            let got = (response.error_code, response.producer_id.0, response.producer_epoch);
            assert_eq!(got, (code, -1, -1), "{case}");
        }
    }

    #[tokio::test]
    async fn without_a_block_the_producer_is_asked_to_try_again() {
        let ids = ProducerIds::new(Arc::new(Blocks { fail: true, ..Blocks::default() }));
        assert_eq!(handle(4, request(None, 0, -1, -1), "c", &ids).await.error_code, 14);
    }

    #[tokio::test]
    async fn every_version_can_be_encoded() {
        for version in 0..=5 {
            for transactional_id in [None, Some("x")] {
                let response = handle(version, request(transactional_id, 1, -1, -1), "c", &ids()).await;
                response.encode(&mut bytes::BytesMut::new(), version).expect("no field of another version");
            }
        }
    }
}
