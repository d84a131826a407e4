//! The cluster, its settings and features, and the telemetry of clients.

use crate::preflight::shape::Shape;

shapes! {
    18 ApiVersions: 0..=4, flexible 3 {
        client_software_name: string [3..];
        client_software_version: string [3..];
    }

    32 DescribeConfigs: 1..=4, flexible 4 {
        resources: array of describe_configs_request::DescribeConfigsResource [0..] {
            resource_type: int8 [0..];
            resource_name: string [0..];
            configuration_keys: array of string [0..] null [0..];
        };
        include_synonyms: boolean [0..];
        include_documentation: boolean [3..];
    }

    33 AlterConfigs: 0..=2, flexible 2 {
        resources: array of alter_configs_request::AlterConfigsResource [0..] {
            resource_type: int8 [0..];
            resource_name: string [0..];
            configs: array of alter_configs_request::AlterableConfig [0..] {
                name: string [0..];
                value: string [0..] null [0..];
            };
        };
        validate_only: boolean [0..];
    }

    44 IncrementalAlterConfigs: 0..=1, flexible 1 {
        resources: array of incremental_alter_configs_request::AlterConfigsResource [0..] {
            resource_type: int8 [0..];
            resource_name: string [0..];
            configs: array of incremental_alter_configs_request::AlterableConfig [0..] {
                name: string [0..];
                config_operation: int8 [0..];
                value: string [0..] null [0..];
            };
        };
        validate_only: boolean [0..];
    }

    55 DescribeQuorum: 0..=2, flexible 0 {
        topics: array of describe_quorum_request::TopicData [0..] {
            topic_name: string [0..];
            partitions: array of describe_quorum_request::PartitionData [0..] {
                partition_index: int32 [0..];
            };
        };
    }

    57 UpdateFeatures: 0..=2, flexible 0 {
        timeout_ms: int32 [0..];
        feature_updates: array of update_features_request::FeatureUpdateKey [0..] {
            feature: string [0..];
            max_version_level: int16 [0..];
            allow_downgrade: boolean [0..=0];
            upgrade_type: int8 [1..];
        };
        validate_only: boolean [1..];
    }

    60 DescribeCluster: 0..=2, flexible 0 {
        include_cluster_authorized_operations: boolean [0..];
        endpoint_type: int8 [1..];
        include_fenced_brokers: boolean [2..];
    }

    64 UnregisterBroker: 0..=0, flexible 0 {
        broker_id: int32 [0..];
    }

    71 GetTelemetrySubscriptions: 0..=0, flexible 0 {
        client_instance_id: uuid [0..];
    }

    72 PushTelemetry: 0..=0, flexible 0 {
        client_instance_id: uuid [0..];
        subscription_id: int32 [0..];
        terminating: boolean [0..];
        compression_type: int8 [0..];
        metrics: bytes [0..];
    }

    74 ListConfigResources: 0..=1, flexible 0 {
        resource_types: array of int8 [1..];
    }

    80 AddRaftVoter: 0..=0, flexible 0 {
        cluster_id: string [0..] null [0..];
        timeout_ms: int32 [0..];
        voter_id: int32 [0..];
        voter_directory_id: uuid [0..];
        listeners: array of add_raft_voter_request::Listener [0..] {
            name: string [0..];
            host: string [0..];
            port: int16 [0..];
        };
    }

    81 RemoveRaftVoter: 0..=0, flexible 0 {
        cluster_id: string [0..] null [0..];
        voter_id: int32 [0..];
        voter_directory_id: uuid [0..];
    }
}
