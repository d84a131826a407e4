//! The settings of the group coordinator; names and defaults are Kafka's, except for the rebalance delay.

/// Limits and delays. Units as the names say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSettings {
    /// `group.min.session.timeout.ms`
    pub min_session_timeout_ms: i32,
    /// `group.max.session.timeout.ms`
    pub max_session_timeout_ms: i32,
    /// `group.initial.rebalance.delay.ms`
    pub initial_rebalance_delay_ms: i32,
    /// `group.max.size`
    pub max_size: i32,
    /// `offset.metadata.max.bytes`; counted in UTF-16 units, in spite of its name.
    pub offset_metadata_max_units: i32,
    /// `offsets.retention.minutes`, in milliseconds.
    pub offsets_retention_ms: i64,
}

impl Default for GroupSettings {
    fn default() -> Self {
        Self {
            min_session_timeout_ms: 6000,
            max_session_timeout_ms: 1_800_000,
            initial_rebalance_delay_ms: 0,
            max_size: i32::MAX,
            offset_metadata_max_units: 4096,
            offsets_retention_ms: 10_080 * 60_000,
        }
    }
}
