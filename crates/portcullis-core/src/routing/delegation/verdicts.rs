//! The verdicts on all IngressRoutes, kept up to date component by component.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashMap;

use super::component::Component;
use super::counts::Counts;
use super::graph_view::{GraphView, NOBODY};
use super::judge::judge;
use super::verdict::GraphStatus;
use crate::cluster::{Cluster, Dirty, Lookup, Overlay};
use crate::config::Config;
use crate::kinds::{Kind, ObjectRef};

/// What is said of every IngressRoute, and what is still to be judged again.
#[derive(Debug, Default)]
pub struct GraphState {
    known: HashMap<Arc<ObjectRef>, GraphStatus>,
    pending: BTreeSet<Arc<ObjectRef>>,
    counts: Counts,
    steps: usize,
}

impl GraphState {
    /// What is said of the object at `object_ref`.
    pub fn get(&self, object_ref: &ObjectRef) -> Option<&GraphStatus> {
        self.known.get(object_ref)
    }

    /// All verdicts, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectRef, &GraphStatus)> {
        self.known.iter().map(|(object_ref, verdict)| (&**object_ref, verdict))
    }

    /// How many objects are in which state.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How many delegations have been looked at so far: what the work grows with.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Judges again what `dirty` may have changed: the places whose verdict is another now, or gone, in order.
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
    pub fn reconcile(&mut self, dirty: Dirty, cluster: &Cluster, config: &Config) -> BTreeSet<Arc<ObjectRef>> {
        self.note(dirty, cluster);
        let mut changed = BTreeSet::new();
        while self.has_pending() {
            changed.extend(self.reconcile_some(usize::MAX, cluster, config));
        }
        changed
    }

    /// Notes what is to be judged again.
    pub fn note(&mut self, dirty: Dirty, cluster: &Cluster) {
        match dirty {
            Dirty::Places(places) if self.pending.is_empty() => self.pending = places,
            Dirty::Places(places) => self.pending.extend(places),
            Dirty::Everything => {
                self.pending.extend(cluster.places(Kind::IngressRoute).into_iter().map(Arc::new));
                self.pending.extend(self.known.keys().cloned());
            }
        }
    }

    /// Whether there is something to be judged again.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Judges components until these have `enough` objects or nothing is left: the places whose verdict is another now, or gone. Between
    /// two calls the cluster may change, if what that touches is noted.
    pub fn reconcile_some(&mut self, enough: usize, cluster: &Cluster, config: &Config) -> Vec<Arc<ObjectRef>> {
        let view = Overlay::new(cluster, &NOBODY);
        let scene = GraphView { view: &view, is_whole: true };
        let (mut changed, mut judged) = (Vec::new(), 0);
        while judged < enough {
            let Some(object_ref) = self.pending.pop_first() else { break };
            let mut component = Component::around([&*object_ref], scene, config);
            let (verdicts, steps) = judge(&mut component, scene, config);
            self.steps += steps;
            judged += verdicts.len().max(1);
            if !matches!(scene.get(&object_ref), Lookup::Found(_)) && self.forget(&object_ref) {
                changed.push(object_ref);
            }
            for (node, verdict) in component.nodes.iter().zip(verdicts) {
                if !self.pending.is_empty() {
                    self.pending.remove(&node.facts.object_ref);
                }
                if self.say(&node.facts.object_ref, verdict) {
                    changed.push(node.facts.object_ref.clone());
                }
            }
        }
        changed
    }

    /// Whether this is not what was said before.
    fn say(&mut self, object_ref: &Arc<ObjectRef>, verdict: GraphStatus) -> bool {
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
            self.counts.take(object_ref, &before);
            true
        })
    }
}

/// The verdicts on all that hangs together with the object under review, were that gone and every Service and delegated certificate there:
/// who may count on serving. It costs what the component has, not what the cluster has.
pub(super) fn verdicts_without(view: &Overlay<'_>, config: &Config) -> BTreeMap<ObjectRef, GraphStatus> {
    let view = GraphView { view, is_whole: false };
    let mut component = Component::around(view.seeds(), view, config);
    let verdicts = judge(&mut component, view, config).0;
    component.nodes.iter().map(|node| (*node.facts.object_ref).clone()).zip(verdicts).collect()
}
