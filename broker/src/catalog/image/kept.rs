//! Records that this release does not act on but must not lose: quotas, credentials, ACLs, tokens, controllers.

use protocol_glue::records::metadata::MetadataRecord;
use std::collections::BTreeMap;

/// The newest record about each subject, by the key of the record type and the subject's identity.
pub(crate) type Kept = BTreeMap<(u32, String), MetadataRecord>;

// Keys of record types in the metadata log.
const DELEGATION_TOKEN: u32 = 10;
const SCRAM_CREDENTIAL: u32 = 11;
const CLIENT_QUOTA: u32 = 14;
const ACCESS_CONTROL_ENTRY: u32 = 18;
const MIGRATION_STATE: u32 = 21;
const CONTROLLER: u32 = 27;

/// Takes the record in, or takes out what it removes; `false` when it is of another kind.
pub(super) fn apply(kept: &mut Kept, record: &MetadataRecord) -> bool {
    use MetadataRecord as R;
    let (kind, subject, remove) = match record {
        R::DelegationToken(token) => (DELEGATION_TOKEN, token.token_id.clone(), false),
        R::RemoveDelegationToken(token) => (DELEGATION_TOKEN, token.token_id.clone(), true),
        R::UserScramCredential(user) => {
            (SCRAM_CREDENTIAL, format!("{} {}", user.mechanism, user.name), false)
        }
        R::RemoveUserScramCredential(user) => {
            (SCRAM_CREDENTIAL, format!("{} {}", user.mechanism, user.name), true)
        }
        R::ClientQuota(quota) => {
            let mut entity: Vec<_> = quota
                .entity
                .iter()
                .map(|part| format!("{:?}", (&part.entity_type, &part.entity_name)))
                .collect();
            entity.sort();
            (CLIENT_QUOTA, format!("{} {}", quota.key, entity.concat()), quota.remove)
        }
        R::AccessControlEntry(entry) => (ACCESS_CONTROL_ENTRY, entry.id.to_string(), false),
        R::RemoveAccessControlEntry(entry) => (ACCESS_CONTROL_ENTRY, entry.id.to_string(), true),
        R::ZkMigrationState(_) => (MIGRATION_STATE, String::new(), false),
        R::RegisterController(controller) => (CONTROLLER, controller.controller_id.to_string(), false),
        R::UnregisterController(controller) => (CONTROLLER, controller.controller_id.to_string(), true),
        _ => return false,
    };
    if remove {
        kept.remove(&(kind, subject));
    } else {
        kept.insert((kind, subject), record.clone());
    }
    true
}
