//! The facts of a GatewayClass.

use jiff::Timestamp;

use crate::config::StatusConfig;
use crate::kinds::feature::FeatureSet;
use crate::kinds::gateway_class::{DEFAULT_ANNOTATION, ROUTABILITY_CHANGE_ANNOTATION};
use crate::kinds::reference::TargetRef;
use crate::kinds::{GatewayClass, Kind, ObjectRef, Routability};

/// The facts of a GatewayClass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayClassFacts {
    /// The name.
    pub name: Box<str>,
    /// The controller that serves it.
    pub controller: Box<str>,
    /// The keys of its annotations whose value is `true`. One of them may make it the default class.
    pub marks: Box<[Box<str>]>,
    /// The routabilities of its annotation, in order and as written; `None` if it has none.
    annotated_routabilities: Option<Box<[Box<str>]>>,
    /// The routabilities that its status lists; `None` if it does not list any.
    reported_routabilities: Option<Box<[Box<str>]>>,
    /// Whether the routability of a Gateway may change after its creation.
    pub routability_changes: bool,
    /// Whether its Gateways run inside the cluster.
    pub in_cluster: bool,
    /// Whether its controller has rejected it.
    pub is_rejected: bool,
    /// The features of the Gateway API that its status lists.
    pub supported_features: FeatureSet,
    /// The parameters of its controller to which it refers.
    pub parameters: Option<Box<ParametersFacts>>,
    /// The creation time.
    pub created: Option<Timestamp>,
}

/// A reference to parameters of a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParametersFacts {
    /// The group; empty for the core group.
    pub group: Box<str>,
    /// The kind.
    pub kind: Box<str>,
    /// The namespace; empty for an object that belongs to none.
    pub namespace: Box<str>,
    /// The name.
    pub name: Box<str>,
}

impl ParametersFacts {
    /// The facts of a reference.
    pub fn of(reference: &TargetRef<'_>) -> Self {
        Self {
            group: reference.group().into(),
            kind: reference.kind_or("").into(),
            namespace: reference.namespace.as_deref().unwrap_or_default().into(),
            name: (*reference.name).into(),
        }
    }
}

impl GatewayClassFacts {
    /// Returns the facts of `class`.
    pub fn of(class: &GatewayClass<'_>) -> Self {
        let annotations = &class.metadata.annotations;
        let marks = annotations.iter().filter(|(_, value)| *value == "true").map(|(key, _)| Box::from(key));
        Self {
            name: class.metadata.name().into(),
            controller: class.spec.controller_name.as_deref().unwrap_or_default().into(),
            marks: marks.collect(),
            annotated_routabilities: class.annotated_routabilities().map(|entries| entries.map(Box::from).collect()),
            reported_routabilities: class.reported_routabilities().map(|entries| entries.map(Box::from).collect()),
            routability_changes: annotations
                .get(ROUTABILITY_CHANGE_ANNOTATION)
                .is_some_and(|value| &**value == "Allowed"),
            in_cluster: class.is_in_cluster(),
            is_rejected: class.is_rejected(),
            supported_features: class.supported_features(),
            parameters: class.spec.parameters_ref.as_ref().map(|parameters| Box::new(ParametersFacts::of(parameters))),
            created: class.metadata.created(),
        }
    }

    /// The reference to the class.
    pub fn object_ref(&self) -> ObjectRef {
        ObjectRef::new(Kind::GatewayClass, "", &self.name)
    }

    /// The routabilities that it offers, in order: those of its annotation, or else those that its controller lists in its status.
    /// `None` if neither does. The status of an own class is written from the annotation, so it says nothing by itself: it may be
    /// older than the removal of the annotation.
    pub fn routabilities(&self, status: &StatusConfig) -> Option<&[Box<str>]> {
        let reported = self.reported_routabilities.as_ref().filter(|_| !status.is_own(&self.controller));
        self.annotated_routabilities.as_ref().or(reported).map(|entries| &**entries)
    }

    /// The routability of a Gateway without its own: the first that it offers. An entry that is not a routability does not count.
    pub fn default_routability(&self, status: &StatusConfig) -> Option<&str> {
        let mut offered = self.routabilities(status)?.iter().map(|offered| &**offered);
        offered.find(|offered| Routability::parse(offered).is_some())
    }

    /// Whether the default annotation of Portcullis, or one of the additional `keys`, makes it the default class.
    pub fn is_default(&self, keys: &[impl AsRef<str>]) -> bool {
        self.marks.iter().any(|mark| &**mark == DEFAULT_ANNOTATION || keys.iter().any(|key| *key.as_ref() == **mark))
    }
}
