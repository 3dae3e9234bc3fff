//! The verdicts on all IngressRoutes, updated component by component.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashMap;

use super::component::Component;
use super::counts::Counts;
use super::evaluator::evaluate;
use super::graph_rules::GraphRules;
use super::graph_view::GraphView;
use super::verdict::GraphStatus;
use crate::cluster::{Cluster, Dirty, Lookup, Overlay};
use crate::config::Config;
use crate::kinds::{Kind, ObjectRef};

/// The current verdict on every IngressRoute, and the objects that have to be evaluated again.
#[derive(Debug, Default)]
pub struct GraphState {
    known: HashMap<Arc<ObjectRef>, GraphStatus>,
    pending: BTreeSet<Arc<ObjectRef>>,
    counts: Counts,
    steps: usize,
}

impl GraphState {
    /// The verdict on the object at `object_ref`.
    pub fn get(&self, object_ref: &ObjectRef) -> Option<&GraphStatus> {
        self.known.get(object_ref)
    }

    /// All verdicts, unordered.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectRef, &GraphStatus)> {
        self.known.iter().map(|(object_ref, verdict)| (&**object_ref, verdict))
    }

    /// The number of objects in each state.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The number of delegations that have been looked at so far, as a measure of the work.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Evaluates again what `dirty` may have changed. Returns the objects whose verdict changed or was removed, in
    /// order.
    ///
    /// ```
    /// use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
    /// use portcullis_core::config::Config;
    /// use portcullis_core::kinds::{Kind, decode};
    /// use portcullis_core::message::Disclosure;
    /// use portcullis_core::routing::delegation::{GraphState, IngressRouteStatus};
    ///
    /// // Without a virtualhost it serves only what another IngressRoute delegates to it.
    /// let json = r#"{"metadata": {"namespace": "web", "name": "cart"}, "spec": {
    ///     "routes": [{"match": "/cart", "services": [{"name": "cart", "port": 80}]}]}}"#;
    /// let vertex = decode(Kind::IngressRoute, json)?;
    /// let mut cluster = Cluster::with(SyncState::Complete);
    /// cluster.apply(Event::Apply(Facts::of(&vertex)));
    ///
    /// let (mut graph, config) = (GraphState::default(), Config::default());
    /// let changed = graph.reconcile(cluster.take_dirty(), &cluster, &config);
    /// assert_eq!(changed.len(), 1);
    /// let verdict = graph.get(&vertex.object_ref()).expect("each object has a verdict");
    /// let status = IngressRouteStatus::of(verdict, Disclosure::All);
    /// assert_eq!(status.current_status, "orphaned");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reconcile<'r>(
        &mut self,
        dirty: Dirty,
        cluster: &Cluster,
        rules: impl Into<GraphRules<'r>>,
    ) -> BTreeSet<Arc<ObjectRef>> {
        let rules = rules.into();
        self.note(dirty, cluster);
        let mut changed = BTreeSet::new();
        while self.has_pending() {
            changed.extend(self.reconcile_some(usize::MAX, cluster, rules));
        }
        changed
    }

    /// Records what has to be evaluated again.
    pub fn note(&mut self, dirty: Dirty, cluster: &Cluster) {
        match dirty {
            Dirty::Objects(objects) if self.pending.is_empty() => self.pending = objects,
            Dirty::Objects(objects) => self.pending.extend(objects),
            Dirty::Everything => {
                self.pending.extend(cluster.object_refs(Kind::IngressRoute).into_iter().map(Arc::new));
                self.pending.extend(self.known.keys().cloned());
            }
        }
    }

    /// Whether anything has to be evaluated again.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Evaluates components until they contain `enough` objects or nothing is pending. Returns the objects whose
    /// verdict changed or was removed. Between two calls the cluster may change, if the affected objects are passed to
    /// [`note`](Self::note).
    pub fn reconcile_some(&mut self, enough: usize, cluster: &Cluster, rules: GraphRules<'_>) -> Vec<Arc<ObjectRef>> {
        let overlay = Overlay::of_all(cluster);
        let view = GraphView { cluster: &overlay, is_whole: true };
        let (mut changed, mut evaluated) = (Vec::new(), 0);
        while evaluated < enough {
            let Some(object_ref) = self.pending.pop_first() else { break };
            let mut component = Component::around([&*object_ref], view, rules);
            let (verdicts, steps) = evaluate(&mut component, view, rules);
            self.steps += steps;
            evaluated += verdicts.len().max(1);
            if !matches!(view.get(&object_ref), Lookup::Found(_)) && self.forget(&object_ref) {
                changed.push(object_ref);
            }
            for (node, verdict) in component.nodes.iter().zip(verdicts) {
                if !self.pending.is_empty() {
                    self.pending.remove(&node.facts.object_ref);
                }
                if self.store(&node.facts.object_ref, verdict) {
                    changed.push(node.facts.object_ref.clone());
                }
            }
        }
        changed
    }

    /// Stores a verdict. Returns whether it differs from the previous one.
    fn store(&mut self, object_ref: &Arc<ObjectRef>, verdict: GraphStatus) -> bool {
        match self.known.get_mut(object_ref) {
            Some(known) if *known == verdict => return false,
            Some(known) => {
                self.counts.change(object_ref, known, &verdict);
                *known = verdict;
            }
            None => {
                self.counts.add(object_ref, &verdict);
                self.known.insert(object_ref.clone(), verdict);
            }
        }
        true
    }

    fn forget(&mut self, object_ref: &ObjectRef) -> bool {
        let before = self.known.remove(object_ref);
        before.is_some_and(|before| {
            self.counts.remove(object_ref, &before);
            true
        })
    }
}

/// The verdicts on the component of the object under review, as if that object did not exist and every Service and
/// delegated certificate did. The cost depends on the size of the component, not of the cluster.
pub(super) fn verdicts_without(cluster: &Overlay<'_>, config: &Config) -> BTreeMap<ObjectRef, GraphStatus> {
    let view = GraphView { cluster, is_whole: false };
    let rules = GraphRules::from(config);
    let mut component = Component::around(view.seeds(), view, rules);
    let verdicts = evaluate(&mut component, view, rules).0;
    component.nodes.iter().map(|node| (*node.facts.object_ref).clone()).zip(verdicts).collect()
}
