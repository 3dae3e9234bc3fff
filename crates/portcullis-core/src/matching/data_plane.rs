//! What the annotations of an Ingress say of the load balancer or the listener that serves it.

use super::controller::{ControllerTraits, Sharing};
use super::listener_choice::{self, Choice};
use super::rule_order::Rank;
use crate::kinds::Ingress;

/// What the annotations of an Ingress say of what serves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataPlaneHints {
    /// The position of the controller for which it is written, where that one builds load balancers for Ingresses.
    profile: Option<u8>,
    /// The group that the Ingress shares a load balancer with.
    group: Option<Box<str>>,
    /// Which of the listeners of a proxy or load balancer serve it.
    choices: Box<[Choice]>,
    /// When its rules are asked.
    rank: Rank,
}

impl DataPlaneHints {
    /// What the annotations of `ingress` say, if they say anything.
    pub fn of(ingress: &Ingress<'_>) -> Option<Box<Self>> {
        let annotations = &ingress.metadata.annotations;
        if annotations.0.is_empty() {
            return None;
        }
        let profile = ControllerTraits::position_of(annotations);
        let group = match profile.map(|position| ControllerTraits::at(position).sharing) {
            Some(Sharing::Group(key)) => annotations.get(key).map(|group| group.trim()),
            Some(Sharing::Class | Sharing::Nothing) | None => None,
        };
        let group = group.filter(|group| !group.is_empty()).map(Box::from);
        let choices = listener_choice::of(ingress);
        let rank = Rank::of(annotations);
        let says_something = profile.is_some() || !choices.is_empty() || rank != Rank::default();
        says_something.then(|| Box::new(Self { profile, group, choices, rank }))
    }

    /// The controller for which the Ingress is written.
    pub fn profile(&self) -> Option<&'static ControllerTraits> {
        self.profile.map(ControllerTraits::at)
    }

    /// The group in which Ingresses share a load balancer of the controller of `profile`.
    pub fn group_of(&self, profile: &ControllerTraits) -> Option<&str> {
        self.group.as_deref().filter(|_| self.profile().is_some_and(|own| std::ptr::eq(own, profile)))
    }

    /// What the annotations of an Ingress say of the order of its rules.
    pub fn rank(balancer: Option<&Self>) -> Rank {
        balancer.map_or_else(Rank::default, |balancer| balancer.rank)
    }

    /// Which listeners the annotations of an Ingress choose, if it has any.
    pub fn choices(balancer: Option<&Self>) -> &[Choice] {
        balancer.map_or(&[], |balancer| &balancer.choices)
    }
}
