//! Authentication, access control, tokens, users and quotas.

use crate::preflight::shape::Shape;

shapes! {
    17 SaslHandshake: 0..=1, flexible never {
        mechanism: string [0..];
    }

    29 DescribeAcls: 1..=3, flexible 2 {
        resource_type_filter: int8 [0..];
        resource_name_filter: string [0..] null [0..];
        pattern_type_filter: int8 [0..];
        principal_filter: string [0..] null [0..];
        host_filter: string [0..] null [0..];
        operation: int8 [0..];
        permission_type: int8 [0..];
    }

    30 CreateAcls: 1..=3, flexible 2 {
        creations: array of create_acls_request::AclCreation [0..] {
            resource_type: int8 [0..];
            resource_name: string [0..];
            resource_pattern_type: int8 [0..];
            principal: string [0..];
            host: string [0..];
            operation: int8 [0..];
            permission_type: int8 [0..];
        };
    }

    31 DeleteAcls: 1..=3, flexible 2 {
        filters: array of delete_acls_request::DeleteAclsFilter [0..] {
            resource_type_filter: int8 [0..];
            resource_name_filter: string [0..] null [0..];
            pattern_type_filter: int8 [0..];
            principal_filter: string [0..] null [0..];
            host_filter: string [0..] null [0..];
            operation: int8 [0..];
            permission_type: int8 [0..];
        };
    }

    36 SaslAuthenticate: 0..=2, flexible 2 {
        auth_bytes: bytes [0..];
    }

    38 CreateDelegationToken: 1..=3, flexible 2 {
        owner_principal_type: string [3..] null [3..];
        owner_principal_name: string [3..] null [3..];
        renewers: array of create_delegation_token_request::CreatableRenewers [0..] {
            principal_type: string [0..];
            principal_name: string [0..];
        };
        max_lifetime_ms: int64 [0..];
    }

    39 RenewDelegationToken: 1..=2, flexible 2 {
        hmac: bytes [0..];
        renew_period_ms: int64 [0..];
    }

    40 ExpireDelegationToken: 1..=2, flexible 2 {
        hmac: bytes [0..];
        expiry_time_period_ms: int64 [0..];
    }

    41 DescribeDelegationToken: 1..=3, flexible 2 {
        owners: array of describe_delegation_token_request::DescribeDelegationTokenOwner [0..] null [0..] {
            principal_type: string [0..];
            principal_name: string [0..];
        };
    }

    48 DescribeClientQuotas: 0..=1, flexible 1 {
        components: array of describe_client_quotas_request::ComponentData [0..] {
            entity_type: string [0..];
            match_type: int8 [0..];
            match: string [0..] null [0..];
        };
        strict: boolean [0..];
    }

    49 AlterClientQuotas: 0..=1, flexible 1 {
        entries: array of alter_client_quotas_request::EntryData [0..] {
            entity: array of alter_client_quotas_request::EntityData [0..] {
                entity_type: string [0..];
                entity_name: string [0..] null [0..];
            };
            ops: array of alter_client_quotas_request::OpData [0..] {
                key: string [0..];
                value: float64 [0..];
                remove: boolean [0..];
            };
        };
        validate_only: boolean [0..];
    }

    50 DescribeUserScramCredentials: 0..=0, flexible 0 {
        users: array of describe_user_scram_credentials_request::UserName [0..] null [0..] {
            name: string [0..];
        };
    }

    51 AlterUserScramCredentials: 0..=0, flexible 0 {
        deletions: array of alter_user_scram_credentials_request::ScramCredentialDeletion [0..] {
            name: string [0..];
            mechanism: int8 [0..];
        };
        upsertions: array of alter_user_scram_credentials_request::ScramCredentialUpsertion [0..] {
            name: string [0..];
            mechanism: int8 [0..];
            iterations: int32 [0..];
            salt: bytes [0..];
            salted_password: bytes [0..];
        };
    }
}
