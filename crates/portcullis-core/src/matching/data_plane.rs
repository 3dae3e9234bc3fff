//! What the annotations of an Ingress say about the load balancer or the listener that serves it.

use std::sync::LazyLock;

use hashbrown::HashSet;

use super::annotation_effect::{EFFECTS, Effect, PASSTHROUGH_FIRST, with_effect};
use super::controller::ControllerTraits;
use super::listener_choice::{self, Choice};
use super::order_annotations::{self, OrderAnnotations};
use crate::kinds::Ingress;
use crate::names::domain_of_key;

/// The domains of all annotations that are read here. Most Ingresses have none of them.
static DOMAINS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let choosing = listener_choice::keys().map(|(key, _)| key);
    let suggesting = ControllerTraits::suggestions().map(|(key, _)| key);
    let grouping = ControllerTraits::groups().map(|(key, _)| key);
    let passing = EFFECTS.iter().filter(|row| row.effect == Effect::Passthrough);
    let passing = passing.filter(|row| row.readers.iter().any(|reader| PASSTHROUGH_FIRST.contains(reader)));
    let keys =
        choosing.chain(suggesting).chain(grouping).chain(order_annotations::KEYS).chain(passing.map(|row| row.key));
    keys.map(domain_of_key).collect()
});

/// What the annotations of an Ingress say about what serves it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataPlaneHints {
    /// The position of the controller for which it is written, if that controller creates load balancers for Ingresses.
    profile: Option<u8>,
    /// The groups of Ingresses that share a load balancer with it, each by the position of the controller that reads its annotation.
    groups: Box<[(u8, Box<str>)]>,
    /// The listeners of a proxy or load balancer that serve it.
    choices: Box<[Choice]>,
    /// What determines when its rules are evaluated.
    order: OrderAnnotations,
    /// Whether TLS connections to its hosts are passed through to one Service.
    passes_tls: bool,
}

impl DataPlaneHints {
    /// Returns the hints of `ingress`; `None` if its annotations contain none.
    pub fn of(ingress: &Ingress<'_>) -> Option<Box<Self>> {
        let annotations = &ingress.metadata.annotations;
        if !annotations.iter().any(|(key, _)| DOMAINS.contains(domain_of_key(key))) {
            return None;
        }
        let profile = ControllerTraits::position_of(annotations);
        let groups: Box<[_]> =
            ControllerTraits::groups_in(annotations).map(|(position, group)| (position, group.into())).collect();
        let choices = listener_choice::of(ingress);
        let order = OrderAnnotations::of(ingress);
        let passes_tls = with_effect(Effect::Passthrough, ingress).next().is_some();
        let says_something = profile.is_some()
            || !groups.is_empty()
            || !choices.is_empty()
            || order != OrderAnnotations::default()
            || passes_tls;
        says_something.then(|| Box::new(Self { profile, groups, choices, order, passes_tls }))
    }

    /// The controller for which the Ingress is written.
    pub fn profile(&self) -> Option<&'static ControllerTraits> {
        self.profile.map(ControllerTraits::at)
    }

    /// The groups of Ingresses that share a load balancer with it, each with the position of the controller that reads it.
    pub fn groups(&self) -> impl Iterator<Item = (u8, &str)> {
        self.groups.iter().map(|(position, group)| (*position, &**group))
    }

    /// The group of Ingresses that share a load balancer of the controller of `profile`.
    pub fn group_of(&self, profile: &ControllerTraits) -> Option<&str> {
        let mut groups = self.groups();
        groups.find(|(position, _)| std::ptr::eq(ControllerTraits::at(*position), profile)).map(|(_, group)| group)
    }

    /// What separates its claims from those of others or changes them: its groups, its listeners and the annotations of its rules
    /// but for their order. `None` if that is nothing.
    pub fn choices_of_claim(&self) -> Option<impl std::fmt::Debug> {
        let order = self.order.without_order();
        let is_nothing = self.groups.is_empty() && self.choices.is_empty() && order == OrderAnnotations::default();
        (!is_nothing).then_some((&self.groups, &self.choices, order))
    }

    /// What the annotations of an Ingress say about the order of its rules.
    pub fn order(hints: Option<&Self>) -> OrderAnnotations {
        hints.map_or_else(OrderAnnotations::default, |hints| hints.order)
    }

    /// Whether the annotations of an Ingress pass TLS connections to its hosts through to one Service.
    pub fn passes_tls(hints: Option<&Self>) -> bool {
        hints.is_some_and(|hints| hints.passes_tls)
    }

    /// The listeners that the annotations of an Ingress choose.
    pub fn choices(hints: Option<&Self>) -> &[Choice] {
        hints.map_or(&[], |hints| &hints.choices)
    }
}
