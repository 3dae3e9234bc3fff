//! The status of every object of a cluster that is known as a whole, such as a folder or one list of each kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{DesiredStatus, StatusState};
use crate::cluster::Cluster;
use crate::kinds::ObjectRef;
use crate::routing::delegation::{GraphRules, GraphState};

/// The status of each of `objects`, given as JSON, by reference, under the rules of a
/// [`Plan`](crate::checks::Plan::graph_rules). Objects for which Portcullis is not responsible are
/// left out.
pub fn of_all<'r>(
    objects: impl IntoIterator<Item = (ObjectRef, Box<str>)>,
    cluster: &mut Cluster,
    rules: impl Into<GraphRules<'r>>,
) -> BTreeMap<Arc<ObjectRef>, DesiredStatus> {
    let rules = rules.into();
    let (mut delegations, mut state) = (GraphState::default(), StatusState::default());
    delegations.reconcile(cluster.take_dirty(), cluster, rules);
    objects.into_iter().for_each(|(object_ref, json)| state.put(object_ref, json));
    let mut all = BTreeMap::new();
    while let Some(evaluated) = state.evaluate_next(cluster, rules.config, &delegations) {
        all.insert(evaluated.object_ref, evaluated.desired);
    }
    all.into_iter().filter_map(|(object_ref, desired)| Some((object_ref, desired?))).collect()
}
