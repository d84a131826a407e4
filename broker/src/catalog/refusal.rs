//! What a client did wrong, as it will read it in the response.

use kafka_protocol::ResponseError;

/// An error code and, mostly, a sentence for the person who reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub error: ResponseError,
    pub message: Option<String>,
}

impl Refusal {
    pub fn new(error: ResponseError, message: impl Into<String>) -> Self {
        Refusal { error, message: Some(message.into()) }
    }

    /// An error that says it all.
    pub fn bare(error: ResponseError) -> Self {
        Refusal { error, message: None }
    }

    /// The error code on the wire.
    pub fn code(&self) -> i16 {
        self.error.code()
    }
}
