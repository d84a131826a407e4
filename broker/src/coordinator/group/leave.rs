//! LeaveGroup: members go, or are removed by an administrator.

use std::sync::Arc;

use super::{GroupError, Groups, Identity, Leaving, State, Step, group::Group};
use crate::coordinator::Now;

impl Groups {
    /// Lets members go; the outcome for each, in the order of the request, and what follows for the others.
    pub fn leave(
        &mut self,
        now: Now,
        group_id: &str,
        leaving: &[Leaving],
    ) -> (Vec<Result<(), GroupError>>, Step) {
        let mut step = Step::default();
        let Some(mut group) = self.groups.remove(group_id) else {
            return (vec![Err(GroupError::UnknownMember); leaving.len()], step);
        };
        let outcomes: Vec<_> =
            leaving.iter().map(|leaving| self.remove_member(&mut group, leaving, &mut step)).collect();
        if outcomes.iter().any(Result::is_ok) {
            step = match group.state {
                State::Stable | State::CompletingRebalance | State::PreparingRebalance => {
                    self.rebalance_or_complete(now, group, "a member left", step)
                }
                State::Empty => {
                    self.put(group);
                    step
                }
            };
        } else {
            self.put(group);
        }
        (outcomes, step)
    }

    fn remove_member(
        &mut self,
        group: &mut Group,
        leaving: &Leaving,
        step: &mut Step,
    ) -> Result<(), GroupError> {
        let member_id = find(group, leaving)?;
        if let Some(member) = group.remove(&member_id) {
            self.dismiss(step, &member);
        }
        self.cancel_session(&group.id, &member_id);
        Ok(())
    }
}

/// The member that is meant; an administrator names static members by their instance id alone.
fn find(group: &Group, leaving: &Leaving) -> Result<Arc<str>, GroupError> {
    let instance_id = leaving.instance_id.as_deref();
    if leaving.member_id.is_empty() {
        let member_id = instance_id.and_then(|instance_id| group.static_members.get(instance_id));
        return member_id.cloned().ok_or(GroupError::UnknownMember);
    }
    if !group.pending.contains(leaving.member_id.as_str()) {
        group.check_member(Identity { member_id: &leaving.member_id, instance_id })?;
    }
    Ok(leaving.member_id.as_str().into())
}
