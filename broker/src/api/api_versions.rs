//! ApiVersions (18), versions 0–4.
//!
//! - Lists every API of the table with the versions served; Produce is listed from 0 although 0–2 are refused,
//!   because librdkafka before 2.11.1 stops compressing otherwise (KAFKA-18659).
//! - v3+: the client names its software; a name or version with odd characters is INVALID_REQUEST.
//! - v3+: features. Below v4 a feature whose lowest level is 0 is left out (KAFKA-17492).
//! - A version above ours is answered in the v0 form with UNSUPPORTED_VERSION and our own range (KIP-511);
//!   the response header is v0 in every version.

use super::Api;
use crate::{catalog::Image, net::Connection};
use kafka_protocol::{
    messages::{
        ApiVersionsRequest, ApiVersionsResponse,
        api_versions_response::{ApiVersion, FinalizedFeatureKey, SupportedFeatureKey},
    },
    protocol::StrBytes,
};
use protocol_glue::error::ErrorCode;

/// API key of ApiVersions.
pub const KEY: i16 = 18;

/// Levels of `metadata.version` that this broker reads and writes (3.3-IV3 to 4.4-IV1); a new folder gets 30.
const METADATA_VERSION: (i16, i16) = (7, 33);

/// Answers with what this broker offers.
pub fn handle(
    version: i16,
    request: ApiVersionsRequest,
    connection: &Connection,
    image: &Image,
    apis: &[Api],
) -> ApiVersionsResponse {
    if version >= 3 {
        let (name, software) = (&request.client_software_name, &request.client_software_version);
        if !is_software_word(name) || !is_software_word(software) {
            return ApiVersionsResponse::default().with_error_code(ErrorCode::InvalidRequest.code());
        }
        // Copied: a string of the request would keep its whole frame in memory.
        let _ = connection.software.set((name.to_string(), software.to_string()));
    }
    let mut response = ApiVersionsResponse::default().with_api_keys(apis.iter().map(offered).collect());
    if version >= 3 {
        response = response
            .with_supported_features(vec![
                SupportedFeatureKey::default()
                    .with_name(StrBytes::from_static_str("metadata.version"))
                    .with_min_version(METADATA_VERSION.0)
                    .with_max_version(METADATA_VERSION.1),
            ])
            .with_finalized_features_epoch(image.features_epoch)
            .with_finalized_features(
                image.features.iter().filter(|(_, level)| *level > 0).map(finalized).collect(),
            );
    }
    response
}

/// The answer to a version we do not know: only our own range, in the oldest form.
pub fn unsupported_version(own: &Api) -> ApiVersionsResponse {
    ApiVersionsResponse::default()
        .with_error_code(ErrorCode::UnsupportedVersion.code())
        .with_api_keys(vec![offered(own)])
}

fn offered(api: &Api) -> ApiVersion {
    ApiVersion::default()
        .with_api_key(api.key)
        .with_min_version(api.advertised_from)
        .with_max_version(*api.versions.end())
}

fn finalized((name, level): &(String, i16)) -> FinalizedFeatureKey {
    FinalizedFeatureKey::default()
        .with_name(StrBytes::from_string(name.clone()))
        .with_min_version_level(*level)
        .with_max_version_level(*level)
}

/// Letters and digits at both ends; `-` and `.` may stand inside (KIP-511).
fn is_software_word(word: &str) -> bool {
    let ends = |end: Option<char>| end.is_some_and(|c| c.is_ascii_alphanumeric());
    ends(word.chars().next())
        && ends(word.chars().last())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_names_follow_kip_511() {
        for good in ["a", "a.b-c", "1.0.0-x", "librdkafka"] {
            assert!(is_software_word(good), "{good}");
        }
        for bad in ["", "a b", "-a", "a-", "a_b", ".", "v 1", "é", "a/b", "1+b"] {
            assert!(!is_software_word(bad), "{bad:?}");
        }
    }
}
