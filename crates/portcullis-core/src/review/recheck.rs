//! Checks an admitted creation once more, when the view shows what other replicas have admitted at the same time.

use jiff::Timestamp;

use super::envelope::{self, Pass};
use super::request::UserInfo;
use crate::checks::{Operation, Plan, Write};
use crate::cluster::{Cluster, Facts, Overlay, User};
use crate::finding::Action;
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{ObjectRef, Partial};
use crate::message::render_whole;

/// An object that was admitted although it conflicts with an older one, because both were created at the same time through two
/// replicas.
#[derive(Debug, PartialEq, Eq)]
pub struct LateConflict {
    /// The object.
    pub object_ref: ObjectRef,
    /// The check and the message of each finding that would deny it.
    pub findings: Vec<(&'static str, String)>,
}

/// What is wrong with the object whose creation the review in `text` admitted; `None` if nothing is, if the review is of another
/// operation, or if the view does not show the object as it was created.
pub fn recheck(text: &str, plan: &Plan, cluster: &Cluster, now: Timestamp) -> Option<LateConflict> {
    let request = envelope::read(text, Pass::Raw).ok()?;
    let kind = request.gvk.known().filter(|_| request.operation() == Some(Operation::Create))?;
    let partial = Partial::read(kind, request.raw()?.get());
    let object = partial.object.as_ref()?;
    if !cluster.holds(&Facts::of(object)) {
        return None;
    }
    let object_ref = request.object_ref(kind, Some(object));
    let user = request.user.as_ref();
    let groups = user.filter(|_| plan.needs_groups()).map(UserInfo::groups).unwrap_or_default();
    let extra = user.filter(|_| plan.needs_extra()).map(UserInfo::extra).unwrap_or_default();
    let user = user.map(|user| User { name: &user.username, groups: &groups, extra: &extra });
    let write = Write { operation: Operation::Stored, this: &object_ref, user, now };
    let outcome = plan.check_stored(&partial, &ManifestErrors::default(), &Overlay::new(cluster, &object_ref), &write);
    let denials = outcome.findings.iter().filter(|evaluated| evaluated.action == Action::Deny);
    let findings: Vec<_> =
        denials.map(|evaluated| (evaluated.finding.check, render_whole(&evaluated.finding).to_string())).collect();
    (!findings.is_empty()).then_some(LateConflict { object_ref, findings })
}
