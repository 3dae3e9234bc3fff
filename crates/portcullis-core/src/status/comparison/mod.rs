//! What controllers have written into statuses, compared with what the specification says.
//!
//! Only what the specification decides is compared. What a controller alone can know (its addresses, whether a data plane is programmed,
//! which values it supports), what is not known here, and conditions that the specification does not name are listed as
//! [not compared](NotCompared). A fault is reported once: what only follows from it is not a difference of its own.

mod attached;
mod condition_types;
mod conditions;
mod entries;
mod written;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use written::{Written, WrittenCondition, WrittenConditions};

use super::snapshot::evaluate_all;
use super::{AttachedRoutes, DesiredStatus, Entries, Perspective};
use crate::cluster::{Cluster, Overlay};
use crate::config::Config;
use crate::kinds::{Kind, KindSet, ObjectRef};

/// The kinds whose statuses are compared. The status of an Ingress has only addresses, which its controller knows.
pub const KINDS: KindSet = super::KINDS.without(KindSet::of(&[Kind::Ingress]));

/// The comparison of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectComparison {
    /// The object.
    pub object_ref: Arc<ObjectRef>,
    /// What differs, in the order of the status.
    pub differences: Vec<Difference>,
    /// The places about which no controller has written anything: the whole object, or some of its parents.
    pub unwritten: Vec<Place>,
    /// What is written and was not compared.
    pub not_compared: Vec<NotCompared>,
}

/// A place in a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The object as a whole.
    Object,
    /// A listener, by its name.
    Listener(String),
    /// A parent of a route or an ancestor of a policy.
    Entry {
        /// `parent` or `ancestor`.
        noun: &'static str,
        /// The reference, as text.
        reference: String,
        /// The controller of the entry; empty if it is not known.
        controller: String,
    },
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub discrepancy: Discrepancy,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Discrepancy {
    /// A condition or a field.
    Value {
        /// The type of the condition, or the name of the field.
        field: String,
        /// What is written; `None` for nothing.
        written: Option<String>,
        /// What the specification says; `None` for nothing.
        specification: Option<String>,
        /// Why the specification says so.
        message: String,
    },
    /// The status was written for an older generation of the object.
    Outdated {
        /// The generation of the status.
        written: i64,
        /// The generation of the object.
        current: i64,
    },
}

/// Something that is written and was not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotCompared {
    /// Where it is.
    pub place: Place,
    /// The condition with its status and reason, or `entry`.
    pub written: String,
    /// Why it was not compared.
    pub cause: Cause,
}

/// Why something was not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The specification does not name the type of the condition.
    Implementation,
    /// Only the controller knows.
    Controller,
    /// It is not known here: an object that decides it was not read.
    Unknown,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object => Ok(()),
            Self::Listener(name) => write!(f, "listener `{name}`"),
            Self::Entry { noun, reference, controller } if controller.is_empty() => write!(f, "{noun} {reference}"),
            Self::Entry { noun, reference, controller } => write!(f, "{noun} {reference} ({controller})"),
        }
    }
}

impl fmt::Display for Discrepancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { field, .. } => f.write_str(field),
            Self::Outdated { written, current } => {
                write!(f, "outdated: written for generation {written}, the object is at {current}")
            }
        }
    }
}

/// Compares the statuses of `objects`, given as JSON, with what the specification says of them under the rules of `config`, whichever
/// controllers their classes have. Returns those that the specification says something about, ordered by reference.
///
/// ```
/// use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
/// use portcullis_core::config::Config;
/// use portcullis_core::kinds::{Kind, decode};
/// use portcullis_core::status::comparison::compare;
///
/// let route = r#"{"metadata": {"namespace": "web", "name": "shop", "generation": 2}, "spec": {"parentRefs": [{"name": "edge"}]},
///     "status": {"parents": [{"parentRef": {"name": "edge"}, "controllerName": "example.com/c", "conditions": [
///         {"type": "Accepted", "status": "True", "reason": "Accepted", "observedGeneration": 1}]}]}}"#;
/// let facts = Facts::of(&decode(Kind::HttpRoute, route)?);
/// let object_ref = facts.object_ref();
/// let mut cluster = Cluster::with(SyncState::Complete);
/// cluster.apply(Event::Apply(facts));
///
/// let found = compare([(&object_ref, route)], &mut cluster, &Config::default());
/// let difference = &found[0].differences[0];
/// assert_eq!(difference.discrepancy.to_string(), "outdated: written for generation 1, the object is at 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare<'o>(
    objects: impl IntoIterator<Item = (&'o ObjectRef, &'o str)>,
    cluster: &mut Cluster,
    config: &Config,
) -> Vec<ObjectComparison> {
    let objects = objects.into_iter().filter(|(object_ref, _)| KINDS.contains(object_ref.kind));
    let objects: BTreeMap<&ObjectRef, &str> = objects.collect();
    let subjects = objects.iter().map(|(object_ref, json)| ((*object_ref).clone(), (*json).into()));
    // A data plane does not know who owns which hosts.
    let specified = evaluate_all(subjects, cluster, config.into(), Perspective::Specification);
    let written = objects.iter().map(|(object_ref, json)| (*object_ref, Written::of(json))).collect();
    let comparer = Comparer { cluster: Overlay::of_all(cluster), written, attached: &specified.attached };
    specified.all.iter().filter_map(|(object_ref, desired)| comparer.object(object_ref, desired)).collect()
}

/// What the status of one object is compared with.
struct Comparer<'c> {
    cluster: Overlay<'c>,
    written: BTreeMap<&'c ObjectRef, Written>,
    /// The listeners that accept each route.
    attached: &'c AttachedRoutes,
}

impl Comparer<'_> {
    /// Compares one object; `None` if there is nothing to compare.
    fn object(&self, object_ref: &Arc<ObjectRef>, specified: &DesiredStatus) -> Option<ObjectComparison> {
        let written = self.written.get(&**object_ref)?;
        let mut found = ObjectComparison::of(object_ref);
        if written.is_empty() {
            let is_expected = specified.entries.as_ref().is_none_or(|entries| !entries.is_empty());
            found.unwritten.push(Place::Object);
            return is_expected.then_some(found);
        }
        if object_ref.kind == Kind::IngressRoute {
            ingress_route(written, specified, &mut found);
            return Some(found);
        }
        let own = written.conditions();
        let outdated = own.outdated(written.generation());
        let summarized = written.summarized(&specified.conditions);
        conditions::compare_current(&Place::Object, &own, &summarized, written, &mut found);
        match &specified.entries {
            Some(Entries::Listeners(listeners)) => {
                self.listeners(written, specified, (listeners, outdated), &mut found);
            }
            Some(Entries::Parents(own)) => self.parents(written, own, &mut found),
            Some(Entries::Ancestors(own)) => self.ancestors(written, own, &mut found),
            None => {}
        }
        Some(found)
    }
}

/// Compares the state of an IngressRoute, which is all that the design document defines.
fn ingress_route(written: &Written, specified: &DesiredStatus, found: &mut ObjectComparison) {
    let (status, place) = (written.status(), &Place::Object);
    match (status["observedGeneration"].as_i64(), written.generation()) {
        (Some(observed), Some(current)) if observed < current => found.outdated(place, observed, written),
        _ => {
            let (own, state) = (status["currentStatus"].as_str(), specified.fields["currentStatus"].as_str());
            if own != state {
                let message = specified.fields["description"].as_str().unwrap_or_default().to_owned();
                found.differ(place, "currentStatus", (own.map(str::to_owned), state.map(str::to_owned)), message);
            }
        }
    }
    let own = written.conditions();
    own.iter().for_each(|condition| found.leave(place, condition.to_string(), Cause::Implementation));
}

impl ObjectComparison {
    fn of(object_ref: &Arc<ObjectRef>) -> Self {
        let object_ref = Arc::clone(object_ref);
        Self { object_ref, differences: Vec::new(), unwritten: Vec::new(), not_compared: Vec::new() }
    }

    /// Adds a difference between what is written and what the specification says.
    fn differ(
        &mut self,
        place: &Place,
        field: &str,
        (written, specification): (Option<String>, Option<String>),
        message: String,
    ) {
        let discrepancy = Discrepancy::Value { field: field.to_owned(), written, specification, message };
        self.differences.push(Difference { place: place.clone(), discrepancy });
    }

    /// Notes that a place was written for the older `generation` of an object.
    fn outdated(&mut self, place: &Place, generation: i64, written: &Written) {
        let current = written.generation().unwrap_or_default();
        let discrepancy = Discrepancy::Outdated { written: generation, current };
        self.differences.push(Difference { place: place.clone(), discrepancy });
    }

    /// Notes that something is not compared.
    fn leave(&mut self, place: &Place, written: String, cause: Cause) {
        self.not_compared.push(NotCompared { place: place.clone(), written, cause });
    }
}
