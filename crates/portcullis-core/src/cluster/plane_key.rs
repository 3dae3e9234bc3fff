//! The keys by which the view finds the Ingresses that may share a data plane with a given one.

use super::IngressFacts;
use crate::matching::DataPlaneHints;

/// A property of an Ingress, taken from the object alone, by which the Ingresses of one data plane are found: its class,
/// or a group of load balancers. Which keys belong to one data plane depends on the IngressClasses and the
/// configuration ([`DataPlanes::rival_planes`](super::DataPlanes::rival_planes)), so a change of these leaves the index
/// as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaneKey<'s> {
    /// The Ingresses that name this class; `None` for those that name none.
    Class(Option<&'s str>),
    /// The Ingresses whose annotations name this group of the controller at this position in the table of controllers.
    Group(u8, &'s str),
}

impl IngressFacts {
    /// The keys of the Ingress.
    pub fn plane_keys(&self) -> impl Iterator<Item = PlaneKey<'_>> {
        let groups = self.hints.as_deref().into_iter().flat_map(DataPlaneHints::groups);
        let groups = groups.map(|(position, group)| PlaneKey::Group(position, group));
        self.classes().map(PlaneKey::Class).chain(groups)
    }
}
