//! The record types of `__cluster_metadata`, in the order of their keys (Kafka 4.4).

use bytes::Bytes;
use uuid::Uuid;

messages! {
    /// A broker has registered.
    RegisterBroker (versions 0..=4, flexible 0) {
        broker_id: i32 [0..],
        is_migrating_zk_broker: bool [2..],
        incarnation_id: Uuid [0..],
        broker_epoch: i64 [0..],
        end_points: Vec<BrokerEndpoint> [0..],
        features: Vec<BrokerFeature> [0..],
        rack: Option<String> [0..],
        fenced: bool [0..] = true,
        in_controlled_shutdown: bool [1..],
        log_dirs: Vec<Uuid> [3..] tag 0,
        cordoned_log_dirs: Option<Vec<Uuid>> [4..] tag 1,
    }

    /// Where a broker listens.
    BrokerEndpoint {
        name: String [0..],
        host: String [0..],
        port: u16 [0..],
        /// 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL.
        security_protocol: i16 [0..],
    }

    /// Which levels of a feature a broker knows.
    BrokerFeature {
        name: String [0..],
        min_supported_version: i16 [0..],
        max_supported_version: i16 [0..],
    }

    /// A broker is forgotten.
    UnregisterBroker (versions 0..=0, flexible 0) {
        broker_id: i32 [0..],
        broker_epoch: i64 [0..],
    }

    /// A topic exists.
    Topic (versions 0..=0, flexible 0) {
        name: String [0..],
        topic_id: Uuid [0..],
    }

    /// A partition exists, in this state.
    Partition (versions 0..=2, flexible 0) {
        partition_id: i32 [0..] = -1,
        topic_id: Uuid [0..],
        replicas: Vec<i32> [0..],
        isr: Vec<i32> [0..],
        removing_replicas: Vec<i32> [0..],
        adding_replicas: Vec<i32> [0..],
        leader: i32 [0..] = -1,
        /// 0 recovered, 1 recovering after an unclean election.
        leader_recovery_state: i8 [0..] tag 0,
        leader_epoch: i32 [0..] = -1,
        partition_epoch: i32 [0..] = -1,
        /// The log directory of each replica, in the order of `replicas`.
        directories: Vec<Uuid> [1..],
        eligible_leader_replicas: Option<Vec<i32>> [2..] tag 1,
        last_known_elr: Option<Vec<i32>> [2..] tag 2,
    }

    /// A dynamic setting of a resource; null removes it.
    Config (versions 0..=0, flexible 0) {
        /// As in the configuration APIs: 2 topic, 4 broker, 16 client metrics, 32 group.
        resource_type: i8 [0..],
        resource_name: String [0..],
        name: String [0..],
        value: Option<String> [0..],
    }

    /// What changed about a partition; what is null or at its default did not.
    PartitionChange (versions 0..=2, flexible 0) {
        partition_id: i32 [0..] = -1,
        topic_id: Uuid [0..],
        isr: Option<Vec<i32>> [0..] tag 0,
        /// -2: unchanged; -1: none.
        leader: i32 [0..] tag 1 = -2,
        replicas: Option<Vec<i32>> [0..] tag 2,
        removing_replicas: Option<Vec<i32>> [0..] tag 3,
        adding_replicas: Option<Vec<i32>> [0..] tag 4,
        /// -1: unchanged.
        leader_recovery_state: i8 [0..] tag 5 = -1,
        directories: Option<Vec<Uuid>> [1..] tag 8,
        eligible_leader_replicas: Option<Vec<i32>> [2..] tag 6,
        last_known_elr: Option<Vec<i32>> [2..] tag 7,
    }

    /// A broker is fenced (before BrokerRegistrationChange took over).
    FenceBroker (versions 0..=0, flexible 0) {
        id: i32 [0..],
        epoch: i64 [0..],
    }

    /// A broker is unfenced (before BrokerRegistrationChange took over).
    UnfenceBroker (versions 0..=0, flexible 0) {
        id: i32 [0..],
        epoch: i64 [0..],
    }

    /// A topic is gone, with its partitions.
    RemoveTopic (versions 0..=0, flexible 0) {
        topic_id: Uuid [0..],
    }

    /// A delegation token.
    DelegationToken (versions 0..=0, flexible 0) {
        owner: String [0..],
        requester: String [0..],
        renewers: Vec<String> [0..],
        issue_timestamp: i64 [0..],
        max_timestamp: i64 [0..],
        expiration_timestamp: i64 [0..],
        token_id: String [0..],
    }

    /// What the server knows of a SCRAM password.
    UserScramCredential (versions 0..=0, flexible 0) {
        name: String [0..],
        /// 1 SCRAM-SHA-256, 2 SCRAM-SHA-512.
        mechanism: i8 [0..],
        salt: Bytes [0..],
        stored_key: Bytes [0..],
        server_key: Bytes [0..],
        iterations: i32 [0..],
    }

    /// A feature is finalized at a level; 0 switches it off.
    FeatureLevel (versions 0..=0, flexible 0) {
        name: String [0..],
        feature_level: i16 [0..],
    }

    /// A quota is set or removed.
    ClientQuota (versions 0..=0, flexible 0) {
        entity: Vec<EntityData> [0..],
        key: String [0..],
        value: f64 [0..],
        remove: bool [0..],
    }

    /// One part of what a quota applies to; a null name is the default.
    EntityData {
        entity_type: String [0..],
        entity_name: Option<String> [0..],
    }

    /// A block of producer ids was given out.
    ProducerIds (versions 0..=0, flexible 0) {
        broker_id: i32 [0..],
        broker_epoch: i64 [0..] = -1,
        /// The first id that was not given out.
        next_producer_id: i64 [0..],
    }

    /// What changed about a registered broker.
    BrokerRegistrationChange (versions 0..=3, flexible 0) {
        broker_id: i32 [0..],
        broker_epoch: i64 [0..],
        /// -1 unfenced, 0 unchanged, 1 fenced.
        fenced: i8 [0..] tag 0,
        /// 0 unchanged, 1 shutting down.
        in_controlled_shutdown: i8 [1..] tag 1,
        log_dirs: Vec<Uuid> [2..] tag 2,
        cordoned_log_dirs: Option<Vec<Uuid>> [3..] tag 3,
    }

    /// An access control entry.
    AccessControlEntry (versions 0..=0, flexible 0) {
        id: Uuid [0..],
        resource_type: i8 [0..],
        resource_name: String [0..],
        pattern_type: i8 [0..],
        principal: String [0..],
        host: String [0..],
        operation: i8 [0..],
        permission_type: i8 [0..],
    }

    /// An access control entry is gone.
    RemoveAccessControlEntry (versions 0..=0, flexible 0) {
        id: Uuid [0..],
    }

    /// Nothing: keeps the log moving. We read it and never write it.
    NoOp (versions 0..=0, flexible 0) {}

    /// How far a migration from ZooKeeper has come.
    ZkMigrationState (versions 0..=0, flexible 0) {
        zk_migration_state: i8 [0..],
    }

    /// A SCRAM credential is gone.
    RemoveUserScramCredential (versions 0..=0, flexible 0) {
        name: String [0..],
        mechanism: i8 [0..],
    }

    /// The records up to the end or abort belong together (KIP-868).
    BeginTransaction (versions 0..=0, flexible 0) {
        name: Option<String> [0..] tag 0,
    }

    /// The records since the begin count.
    EndTransaction (versions 0..=0, flexible 0) {}

    /// The records since the begin never happened.
    AbortTransaction (versions 0..=0, flexible 0) {
        reason: Option<String> [0..] tag 0,
    }

    /// A delegation token is gone.
    RemoveDelegationToken (versions 0..=0, flexible 0) {
        token_id: String [0..],
    }

    /// A controller has registered.
    RegisterController (versions 0..=0, flexible 0) {
        controller_id: i32 [0..],
        incarnation_id: Uuid [0..],
        zk_migration_ready: bool [0..],
        end_points: Vec<ControllerEndpoint> [0..],
        features: Vec<ControllerFeature> [0..],
    }

    /// Where a controller listens.
    ControllerEndpoint {
        name: String [0..],
        host: String [0..],
        port: u16 [0..],
        security_protocol: i16 [0..],
    }

    /// Which levels of a feature a controller knows.
    ControllerFeature {
        name: String [0..],
        min_supported_version: i16 [0..],
        max_supported_version: i16 [0..],
    }

    /// The eligible leader replicas of a topic, or of all when it is empty, are forgotten (KIP-966).
    ClearElr (versions 0..=0, flexible 0) {
        topic_name: String [0..],
    }

    /// A controller is forgotten.
    UnregisterController (versions 0..=0, flexible 0) {
        controller_id: i32 [0..],
    }
}
