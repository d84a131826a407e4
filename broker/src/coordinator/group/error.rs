//! Why the group coordinator refuses.

use protocol_glue::ErrorCode;
use thiserror::Error;

use crate::coordinator::AppendFailure;

/// A refusal that a client may cause, or that passes on a failed append.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GroupError {
    #[error("the request does not make sense")]
    InvalidRequest,
    #[error("the group id is not allowed here")]
    InvalidGroupId,
    #[error("the session timeout is outside of what the broker allows")]
    InvalidSessionTimeout,
    #[error("the group does not know this member")]
    UnknownMember,
    #[error("the member has to join again with the id that it is given here")]
    MemberIdRequired,
    #[error("another member has this instance id")]
    FencedInstance,
    #[error("this is not the group's present generation")]
    IllegalGeneration,
    #[error("the protocol type or protocols do not fit the group's")]
    InconsistentProtocol,
    #[error("the group is rebalancing")]
    RebalanceInProgress,
    #[error("the group has as many members as it may have")]
    GroupFull,
    #[error("the group does not exist")]
    GroupNotFound,
    #[error("the group has members")]
    NonEmptyGroup,
    #[error("the group is subscribed to the topic")]
    SubscribedToTopic,
    #[error("the metadata of the offset is too long")]
    OffsetMetadataTooLarge,
    #[error("the coordinator is reading its log")]
    Loading,
    #[error("the coordinator is not available")]
    NotAvailable,
    #[error("this node does not coordinate the group")]
    NotCoordinator,
    /// The records of an operation are larger than the topic takes. Kafka has no better code for it.
    #[error("the group's state is too large to be written")]
    StateTooLarge,
}

impl From<AppendFailure> for GroupError {
    /// What clients are told: codes that make them look for the coordinator again, as their retry rules expect.
    fn from(failure: AppendFailure) -> Self {
        match failure {
            AppendFailure::NoPartition | AppendFailure::NotEnoughReplicas | AppendFailure::TimedOut => {
                Self::NotAvailable
            }
            AppendFailure::NotLeader | AppendFailure::DiskFull | AppendFailure::Storage => {
                Self::NotCoordinator
            }
            AppendFailure::TooLarge => Self::StateTooLarge,
        }
    }
}

impl From<GroupError> for ErrorCode {
    fn from(error: GroupError) -> Self {
        match error {
            GroupError::InvalidRequest => Self::InvalidRequest,
            GroupError::InvalidGroupId => Self::InvalidGroupId,
            GroupError::InvalidSessionTimeout => Self::InvalidSessionTimeout,
            GroupError::UnknownMember => Self::UnknownMemberId,
            GroupError::MemberIdRequired => Self::MemberIdRequired,
            GroupError::FencedInstance => Self::FencedInstanceId,
            GroupError::IllegalGeneration => Self::IllegalGeneration,
            GroupError::InconsistentProtocol => Self::InconsistentGroupProtocol,
            GroupError::RebalanceInProgress => Self::RebalanceInProgress,
            GroupError::GroupFull => Self::GroupMaxSizeReached,
            GroupError::GroupNotFound => Self::GroupIdNotFound,
            GroupError::NonEmptyGroup => Self::NonEmptyGroup,
            GroupError::SubscribedToTopic => Self::GroupSubscribedToTopic,
            GroupError::OffsetMetadataTooLarge => Self::OffsetMetadataTooLarge,
            GroupError::Loading => Self::CoordinatorLoadInProgress,
            GroupError::NotAvailable => Self::CoordinatorNotAvailable,
            GroupError::NotCoordinator => Self::NotCoordinator,
            GroupError::StateTooLarge => Self::UnknownServerError,
        }
    }
}
