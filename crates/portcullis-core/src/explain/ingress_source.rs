//! One Ingress as a source of rules: its class, its data plane, and the order in which that asks rules.

use crate::kinds::{Ingress, ObjectRef};
use crate::matching::rule_order::{Rank, RuleOrder};

/// Where annotations stand.
pub(super) const ANNOTATIONS: &str = "metadata.annotations";

/// Whether an Ingress has the default class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaulted {
    /// It names its class.
    No,
    /// It names none.
    Yes,
}

/// Where an Ingress names what answers for want of a rule.
pub(super) const DEFAULT_BACKEND: &str = "spec.defaultBackend";

/// The name of a class, or none.
pub(super) type Class<'w> = Option<&'w str>;

/// One Ingress.
pub(super) struct Source<'w> {
    pub(super) object_ref: &'w ObjectRef,
    pub(super) ingress: &'w Ingress<'w>,
    pub(super) class: Class<'w>,
    /// Where it names none, the class whose controller serves it too.
    pub(super) served_by: Class<'w>,
    pub(super) plane: Key<'w>,
    /// In which order its data plane has rules asked.
    pub(super) order: RuleOrder,
    pub(super) rank: Rank,
    pub(super) defaulted: Defaulted,
}

/// What tells a data plane from others: the class, the group of Ingresses, or the one Ingress.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<'w> {
    pub(super) class: Option<Box<str>>,
    pub(super) group: Option<Box<str>>,
    pub(super) alone: Option<&'w ObjectRef>,
}
