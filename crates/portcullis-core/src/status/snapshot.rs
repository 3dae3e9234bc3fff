//! The status of every object of a cluster that is known as a whole, such as a folder or one list of each kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{AttachedRoutes, DesiredStatus, Perspective, StatusState};
use crate::cluster::Cluster;
use crate::kinds::ObjectRef;
use crate::routing::delegation::{GraphRules, GraphState};

/// The statuses of objects, and the listeners that accept routes.
#[derive(Debug)]
pub(super) struct Statuses {
    /// The status of each object that has one.
    pub all: BTreeMap<Arc<ObjectRef>, DesiredStatus>,
    /// The listeners that accept each route.
    pub attached: AttachedRoutes,
}

/// The status of each of `objects`, given as JSON, by reference, under the rules of a
/// [`Plan`](crate::checks::Plan::graph_rules). Objects for which Portcullis is not responsible are
/// left out.
pub fn of_all<'r>(
    objects: impl IntoIterator<Item = (ObjectRef, Box<str>)>,
    cluster: &mut Cluster,
    rules: impl Into<GraphRules<'r>>,
) -> BTreeMap<Arc<ObjectRef>, DesiredStatus> {
    evaluate_all(objects, cluster, rules.into(), Perspective::Own).all
}

/// The statuses of `objects` from a perspective.
pub(super) fn evaluate_all(
    objects: impl IntoIterator<Item = (ObjectRef, Box<str>)>,
    cluster: &mut Cluster,
    rules: GraphRules<'_>,
    perspective: Perspective,
) -> Statuses {
    let (mut delegations, mut state) = (GraphState::default(), StatusState::new(perspective));
    delegations.reconcile(cluster.take_dirty(), cluster, rules);
    objects.into_iter().for_each(|(object_ref, json)| state.put(object_ref, json));
    let mut all = BTreeMap::new();
    while let Some(evaluated) = state.evaluate_next(cluster, (rules.config, rules.owners.ownership), &delegations) {
        all.insert(evaluated.object_ref, evaluated.desired);
    }
    let all = all.into_iter().filter_map(|(object_ref, desired)| Some((object_ref, desired?))).collect();
    Statuses { all, attached: state.into_attached() }
}
