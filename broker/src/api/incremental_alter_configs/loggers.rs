//! Levels of loggers: changed in the process, kept nowhere.

use super::{Refused, Wanted, check_is_this_broker, invalid, resource};
use crate::{
    config::alter::{Change, Op},
    observe::logging::{LogLevels, ROOT},
};
use kafka_protocol::ResponseError;
use tracing::level_filters::LevelFilter;

/// Answers what is wanted of loggers, and does it unless it is only to be checked.
pub(super) fn change(wanted: &mut [Wanted], loggers: &LogLevels, node_id: i32, validate_only: bool) {
    let of_loggers =
        |wanted: &&mut Wanted| wanted.resource_type == resource::BROKER_LOGGER && wanted.outcome.is_none();
    for wanted in wanted.iter_mut().filter(of_loggers) {
        let levels = check_is_this_broker(&wanted.name, node_id)
            .and_then(|()| wanted.changes.iter().map(|change| level(change, loggers)).collect());
        wanted.outcome = Some(levels.map(|levels: Vec<_>| {
            if !validate_only {
                let names = wanted.changes.iter().map(|change| change.name.as_str());
                names.zip(levels).for_each(|(name, level)| loggers.set(name, level));
            }
        }));
    }
}

/// The level a logger is to have; none to follow the root.
fn level(change: &Change, loggers: &LogLevels) -> Result<Option<LevelFilter>, Refused> {
    let name = &change.name;
    let value_error = |message: String| Err((ResponseError::InvalidConfig, message));
    if matches!(change.op, Op::Append | Op::Subtract) {
        return Err(invalid(&format!("The level of the logger {name} is no list.")));
    }
    if !loggers.contains(name) {
        return value_error(format!("There is no logger {name}."));
    }
    if change.op == Op::Delete {
        return match name.as_str() {
            ROOT => Err(invalid("The root logger needs a level.")),
            _ => Ok(None),
        };
    }
    match change.value.as_deref() {
        Some("TRACE") => Ok(Some(LevelFilter::TRACE)),
        Some("DEBUG") => Ok(Some(LevelFilter::DEBUG)),
        Some("INFO") => Ok(Some(LevelFilter::INFO)),
        Some("WARN") => Ok(Some(LevelFilter::WARN)),
        // Nothing here is more severe than an error.
        Some("ERROR" | "FATAL") => Ok(Some(LevelFilter::ERROR)),
        other => value_error(format!(
            "'{}' is no level for {name}: it must be one of TRACE, DEBUG, INFO, WARN, ERROR, FATAL.",
            other.unwrap_or_default()
        )),
    }
}
