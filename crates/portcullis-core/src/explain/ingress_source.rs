//! An Ingress as a source of rules, with its class, its data plane, and the order in which that evaluates rules.

use std::cmp::Ordering;

use crate::kinds::{Ingress, ObjectRef};
use crate::matching::order_annotations::OrderAnnotations;
use crate::matching::rule_order::RuleOrder;
use crate::routing::precedence;

/// The address of the annotations.
pub(super) const ANNOTATIONS: &str = "metadata.annotations";

/// Whether an Ingress has the default class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaulted {
    /// It names its class.
    No,
    /// It does not name a class.
    Yes,
}

/// The address of the default backend.
pub(super) const DEFAULT_BACKEND: &str = "spec.defaultBackend";

/// The name of a class; `None` for objects without one.
pub(super) type Class<'w> = Option<&'w str>;

/// An Ingress in one of its classes.
pub(super) struct Source<'w> {
    pub(super) object_ref: &'w ObjectRef,
    pub(super) ingress: &'w Ingress<'w>,
    pub(super) class: Class<'w>,
    /// If the Ingress has no class, a class whose controller serves it nevertheless.
    pub(super) served_by: Class<'w>,
    pub(super) plane: IngressPlane<'w>,
    /// The order in which its data plane evaluates rules.
    pub(super) order: RuleOrder,
    pub(super) order_annotations: OrderAnnotations,
    pub(super) defaulted: Defaulted,
}

impl Source<'_> {
    /// Compares the ages of two Ingresses; the older one is less.
    pub(super) fn compare_age(&self, other: &Self) -> Ordering {
        let age = |source: &Self| source.ingress.metadata.created();
        precedence::compare((age(self), self.object_ref), (age(other), other.object_ref))
    }
}

/// Identifies a data plane of Ingresses by its class, its group of Ingresses, or its single Ingress.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IngressPlane<'w> {
    pub(super) class: Option<Box<str>>,
    pub(super) group: Option<Box<str>>,
    pub(super) alone: Option<&'w ObjectRef>,
}
