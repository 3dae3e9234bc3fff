//! The verdicts on all IngressRoutes, kept up to date component by component.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashMap;

use super::component::Component;
use super::counts::Counts;
use super::judge::judge;
use super::scene::{NOBODY, Scene};
use super::verdict::Verdict;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::{Cluster, Lookup, Overlay, Touched};
use crate::config::Config;
use crate::kinds::{Kind, ObjectRef};

/// What is said of every IngressRoute, and what is still to be judged again.
#[derive(Debug, Default)]
pub struct Verdicts {
    known: HashMap<Arc<ObjectRef>, Verdict>,
    pending: BTreeSet<Arc<ObjectRef>>,
    counts: Counts,
    steps: usize,
}

impl Verdicts {
    /// What is said of the object at `place`.
    pub fn get(&self, place: &ObjectRef) -> Option<&Verdict> {
        self.known.get(place)
    }

    /// All verdicts, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectRef, &Verdict)> {
        self.known.iter().map(|(place, verdict)| (&**place, verdict))
    }

    /// How many objects are in which state.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How many delegations have been looked at so far: what the work grows with.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Judges again what `touched` may have changed: the places whose verdict is another now, or gone, in order.
    pub fn settle(&mut self, touched: Touched, cluster: &Cluster, config: &Config) -> BTreeSet<Arc<ObjectRef>> {
        self.note(touched, cluster);
        let mut changed = BTreeSet::new();
        while self.is_behind() {
            changed.extend(self.settle_some(usize::MAX, cluster, config));
        }
        changed
    }

    /// Notes what is to be judged again.
    pub fn note(&mut self, touched: Touched, cluster: &Cluster) {
        match touched {
            Touched::Places(places) if self.pending.is_empty() => self.pending = places,
            Touched::Places(places) => self.pending.extend(places),
            Touched::Everything => {
                self.pending.extend(cluster.places(Kind::IngressRoute).into_iter().map(Arc::new));
                self.pending.extend(self.known.keys().cloned());
            }
        }
    }

    /// Whether there is something to be judged again.
    pub fn is_behind(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Judges components until these have `enough` objects or nothing is left: the places whose verdict is another now, or gone. Between
    /// two calls the cluster may change, if what that touches is noted.
    pub fn settle_some(&mut self, enough: usize, cluster: &Cluster, config: &Config) -> Vec<Arc<ObjectRef>> {
        let view = Overlay::new(cluster, &NOBODY);
        let scene = Scene { view: &view, put: None, is_whole: true };
        let (mut changed, mut judged) = (Vec::new(), 0);
        while judged < enough {
            let Some(place) = self.pending.pop_first() else { break };
            let mut component = Component::around([&*place], scene, config);
            let (verdicts, steps) = judge(&mut component, scene, config);
            self.steps += steps;
            judged += verdicts.len().max(1);
            if !matches!(scene.get(&place), Lookup::Found(_)) && self.forget(&place) {
                changed.push(place);
            }
            for (node, verdict) in component.nodes.iter().zip(verdicts) {
                if !self.pending.is_empty() {
                    self.pending.remove(&node.facts.place);
                }
                if self.say(&node.facts.place, verdict) {
                    changed.push(node.facts.place.clone());
                }
            }
        }
        changed
    }

    /// Whether this is not what was said before.
    fn say(&mut self, place: &Arc<ObjectRef>, verdict: Verdict) -> bool {
        match self.known.get_mut(place) {
            Some(known) if *known == verdict => return false,
            Some(known) => {
                self.counts.change(place, known, &verdict);
                *known = verdict;
            }
            None => {
                self.counts.add(place, &verdict);
                self.known.insert(place.clone(), verdict);
            }
        }
        true
    }

    fn forget(&mut self, place: &ObjectRef) -> bool {
        let before = self.known.remove(place);
        before.is_some_and(|before| {
            self.counts.take(place, &before);
            true
        })
    }
}

/// What would be said of all that hangs together with the object under review, were it `put` in its place, or gone: by place. It costs what
/// the component has, not what the cluster has.
pub fn verdict_if<'c>(
    view: &Overlay<'c>,
    put: Option<&'c DelegationFacts>,
    config: &Config,
) -> BTreeMap<ObjectRef, Verdict> {
    judged(Scene { view, put, is_whole: true }, config)
}

/// What would be said were the object under review gone, and every Service and lent certificate there: who may count on serving.
pub(super) fn standing_without(view: &Overlay<'_>, config: &Config) -> BTreeMap<ObjectRef, Verdict> {
    judged(Scene { view, put: None, is_whole: false }, config)
}

fn judged(scene: Scene<'_, '_>, config: &Config) -> BTreeMap<ObjectRef, Verdict> {
    let mut component = Component::around(scene.seeds(), scene, config);
    let verdicts = judge(&mut component, scene, config).0;
    component.nodes.iter().map(|node| (*node.facts.place).clone()).zip(verdicts).collect()
}
