//! One row of a settings table: name, type, default, scope, check and documentation.

use super::value::{Type, Value};
use std::collections::BTreeSet;

/// Where a setting may be changed while the broker runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// At start only.
    Static,
    /// For one broker, never for the whole cluster at once.
    PerBroker,
    /// For the cluster or for one broker.
    Cluster,
}

/// What a value must satisfy beyond its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Check {
    Any,
    AtLeast(i64),
    Between(i64, i64),
    Within(f64, f64),
    OneOf(&'static [&'static str]),
    /// As `OneOf`, in any case.
    OneOfAnyCase(&'static [&'static str]),
    /// Every item of a list is one of these; the empty list is fine.
    ListOf(&'static [&'static str]),
    NonEmpty,
    /// -1 for the codec's own level, or 1 to 9.
    GzipLevel,
    /// `*`, or items of `partition:broker`.
    ThrottledReplicas,
    /// `latest`, `earliest` or `by_duration:` and an ISO-8601 duration.
    OffsetReset,
}

/// A setting.
#[derive(Clone, Debug)]
pub struct Setting {
    pub name: &'static str,
    pub kind: Type,
    /// `None`: not set, and shown as null.
    pub default: Option<&'static str>,
    pub scope: Scope,
    pub check: Check,
    pub doc: &'static str,
    /// Kafka keeps some settings out of its answers and pages; they can be set all the same.
    pub listed: bool,
}

impl Setting {
    /// Reads and checks a value; a list of given words keeps each once, as in Kafka since 4.2 (KIP-1161). The error is one sentence with name, value and what is allowed.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        let refuse = |allowed: String| {
            let shown = if self.kind == Type::Password { "(hidden)" } else { text };
            format!("Invalid value {shown} for configuration {}: Value must be {allowed}.", self.name)
        };
        let mut value = self.kind.parse(text).map_err(&refuse)?;
        if let (Check::ListOf(_), Value::List(items)) = (&self.check, &mut value) {
            let mut seen = BTreeSet::new();
            items.retain(|item| seen.insert(item.clone()));
        }
        if self.check.accepts(&value) { Ok(value) } else { Err(refuse(self.check.allowed())) }
    }
}

impl Check {
    /// Does the value pass? A check that is about another type lets it pass.
    pub fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (Check::AtLeast(low), Value::Integer(number)) => number >= low,
            (Check::Between(low, high), Value::Integer(number)) => (low..=high).contains(&number),
            (Check::GzipLevel, Value::Integer(level)) => *level == -1 || (1..=9).contains(level),
            (Check::Within(low, high), Value::Double(number)) => (low..=high).contains(&number),
            (Check::OneOf(words), Value::Text(text)) => words.contains(&text.as_str()),
            (Check::OneOfAnyCase(words), Value::Text(text)) => {
                words.iter().any(|word| word.eq_ignore_ascii_case(text))
            }
            (Check::ListOf(words), Value::List(items)) => {
                items.iter().all(|item| words.contains(&item.as_str()))
            }
            (Check::NonEmpty, Value::Text(text)) => !text.is_empty(),
            (Check::NonEmpty, Value::List(items)) => !items.is_empty(),
            (Check::ThrottledReplicas, Value::List(items)) => are_throttled_replicas(items),
            (Check::OffsetReset, Value::Text(text)) => is_offset_reset(text),
            _ => true,
        }
    }

    /// What is allowed, to go after "must be".
    pub fn allowed(&self) -> String {
        match self {
            Check::Any => "any value of its type".into(),
            Check::AtLeast(low) => format!("at least {low}"),
            Check::Between(low, high) => format!("from {low} to {high}"),
            Check::Within(low, high) => format!("from {low} to {high}"),
            Check::OneOf(words) => format!("one of {}", words.join(", ")),
            Check::OneOfAnyCase(words) => format!("one of {} in any case", words.join(", ")),
            Check::ListOf(words) => format!("a list of {}", words.join(", ")),
            Check::NonEmpty => "not empty".into(),
            Check::GzipLevel => "-1 or from 1 to 9".into(),
            Check::ThrottledReplicas => "* or a list of partition:broker".into(),
            Check::OffsetReset => "latest, earliest or by_duration: and an ISO-8601 duration".into(),
        }
    }
}

fn are_throttled_replicas(items: &[String]) -> bool {
    let is_pair = |item: &String| {
        item.split_once(':').is_some_and(|(partition, broker)| is_digits(partition) && is_digits(broker))
    };
    matches!(items, [all] if all == "*") || items.iter().all(is_pair)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_offset_reset(text: &str) -> bool {
    matches!(text, "latest" | "earliest")
        || text
            .strip_prefix("by_duration:")
            .and_then(|duration| duration.strip_prefix('P'))
            .is_some_and(|rest| rest.bytes().any(|byte| byte.is_ascii_digit()))
}

/// A table of settings, one a line: name, type, default, scope, check, documentation.
/// `null` as default means not set; the word `internal` before a name keeps it out of answers.
macro_rules! settings {
    ($table:ident: $($($flag:ident)? $name:literal $kind:ident $default:tt, $scope:ident, $check:expr, $doc:expr;)*) => {
        pub(in crate::config) const $table: &[$crate::config::setting::Setting] = &[$(
            $crate::config::setting::Setting {
                name: $name,
                kind: $crate::config::value::Type::$kind,
                default: $crate::config::setting::settings!(@default $default),
                scope: $crate::config::setting::Scope::$scope,
                check: $check,
                doc: $doc,
                listed: $crate::config::setting::settings!(@listed $($flag)?),
            }
        ),*];
    };
    (@default null) => { None };
    (@default $default:literal) => { Some($default) };
    (@listed) => { true };
    (@listed internal) => { false };
}
pub(in crate::config) use settings;
