//! The graph of IngressRoutes: incremental evaluation gives the same result as evaluation from scratch, and both agree
//! with an oracle.

mod model;
mod oracle;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::cluster::Cluster;
use portcullis_core::config::Config;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::routing::delegation::{GraphState, GraphStatus};
use portcullis_testing::rng::Rng;

use self::model::{Change, Model, Place};
use self::oracle::{Oracle, PlaneResponse};

const GRAPHS: u64 = 20_000;
/// The number of graphs for slower properties.
const FEWER: u64 = 5_000;
const EDITS: usize = 4;

/// A graph, the view of it, and the verdicts on it.
struct Trial {
    seed: u64,
    rng: Rng,
    model: Model,
    cluster: Cluster,
    verdicts: GraphState,
    config: &'static Config,
}

impl Trial {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let model = Model::random(&mut rng);
        let mut cluster = model.cluster(&mut rng);
        let (config, mut verdicts) = (model::config(seed.is_multiple_of(2)), GraphState::default());
        verdicts.reconcile(cluster.take_dirty(), &cluster, config);
        Self { seed, rng, model, cluster, verdicts, config }
    }

    /// Changes the model, the view and the verdicts. Returns the change and the objects whose verdicts changed.
    fn edit(&mut self) -> (Change, BTreeSet<ObjectRef>) {
        let change = self.model.change(&mut self.rng);
        let changed = self.take_in(&change);
        (change, changed)
    }

    fn take_in(&mut self, change: &Change) -> BTreeSet<ObjectRef> {
        self.cluster.apply(change.event.clone());
        let changed = self.verdicts.reconcile(self.cluster.take_dirty(), &self.cluster, self.config);
        changed.iter().map(|object_ref| (**object_ref).clone()).collect()
    }

    fn extensions(&self) -> bool {
        self.seed.is_multiple_of(2)
    }

    fn oracle(&self) -> Oracle<'_> {
        Oracle::new(&self.model, self.extensions())
    }

    fn all(&self) -> BTreeMap<ObjectRef, GraphStatus> {
        self.verdicts.iter().map(|(object_ref, verdict)| (object_ref.clone(), verdict.clone())).collect()
    }
}

/// After some edits: the incremental result equals the result from scratch, for objects in any order. The verdicts that
/// the last edit reports as changed are those that differ, and belong to the component of the edited object. The totals
/// are always the sums of the parts.
#[test]
fn incremental_verdicts_equal_those_from_scratch() {
    for seed in 0..GRAPHS {
        let mut trial = Trial::new(seed);
        for _ in 0..trial.rng.below(EDITS) {
            trial.edit();
            sums_are_those_of_the_parts(&trial);
        }
        let (model, before) = (trial.model.clone(), trial.all());
        let (change, changed) = trial.edit();
        sums_are_those_of_the_parts(&trial);

        let mut fresh = trial.model.cluster(&mut trial.rng);
        let mut rebuilt = GraphState::default();
        rebuilt.reconcile(fresh.take_dirty(), &fresh, trial.config);
        let rebuilt: BTreeMap<_, _> =
            rebuilt.iter().map(|(object_ref, verdict)| (object_ref.clone(), verdict.clone())).collect();
        let now = trial.all();
        assert_eq!(now, rebuilt, "graph {seed}: {:#?}", trial.model);

        let places: BTreeSet<&ObjectRef> = before.keys().chain(now.keys()).collect();
        let differs: BTreeSet<ObjectRef> =
            places.into_iter().filter(|object_ref| before.get(*object_ref) != now.get(*object_ref)).cloned().collect();
        assert_eq!(changed, differs, "graph {seed}");
        if let Some(object_ref) = change.object_ref {
            let mut component = Oracle::new(&model, trial.extensions()).component(object_ref);
            component.extend(trial.oracle().component(object_ref));
            let component: BTreeSet<ObjectRef> = component.into_iter().map(at).collect();
            assert!(changed.is_subset(&component), "graph {seed}: {changed:?} beyond {component:?}");
        }
    }
}

fn sums_are_those_of_the_parts(trial: &Trial) {
    let (mut expected, seed) = (BTreeMap::<&str, [usize; 5]>::new(), trial.seed);
    for (object_ref, verdict) in trial.verdicts.iter() {
        let sums = expected.entry(&object_ref.namespace).or_default();
        let root = trial.model.routes.iter().any(|(own, plain)| at(*own) == *object_ref && plain.host.is_some());
        let state = ["valid", "invalid", "orphaned"].iter().position(|state| *state == verdict.state.name());
        (sums[0], sums[1]) = (sums[0] + 1, sums[1] + usize::from(root));
        sums[2 + state.expect("there are three")] += 1;
    }
    for most in [0, 1, 10] {
        let hosts = trial.verdicts.counts().hosts(most);
        let sums = trial.verdicts.counts().namespaces().map(|(namespace, tally)| {
            let of = hosts.iter().filter(|((own, _), _)| *own == namespace).map(|(_, split)| split);
            let (valid, invalid) = of.fold((0, 0), |sum, split| (sum.0 + split.valid, sum.1 + split.invalid));
            assert_eq!(tally.total, valid + invalid + tally.orphaned, "graph {seed}");
            (namespace, [tally.total, tally.roots, valid, invalid, tally.orphaned])
        });
        assert_eq!(sums.collect::<BTreeMap<_, _>>(), expected, "graph {seed}");
        let names: BTreeSet<&str> = hosts.keys().map(|(_, host)| *host).filter(|host| !host.is_empty()).collect();
        assert!(names.len() <= most, "graph {seed}: {names:?}");
    }
}

#[test]
fn delegation_verdicts_match_the_oracle() {
    let mut states = BTreeMap::new();
    for seed in 0..FEWER {
        let trial = Trial::new(seed);
        let expected = trial.oracle().responses();
        let now: BTreeMap<Place, PlaneResponse> =
            expected.keys().map(|object_ref| (*object_ref, response_of(&trial, *object_ref))).collect();
        assert_eq!(now, expected, "graph {seed}: {:#?}\n{:#?}", trial.model, trial.all());
        expected.values().for_each(|expected| *states.entry(expected.state).or_insert(0) += 1);
    }
    assert!(states.len() == 3 && states.values().all(|count| *count > 2_000), "{states:?} prove little");
}

fn response_of(trial: &Trial, object_ref: Place) -> PlaneResponse {
    let verdict = trial.verdicts.get(&at(object_ref)).expect("every object has a verdict");
    let routes = trial.model.routes[&object_ref].routes.len();
    let places: Vec<Place> = trial.model.routes.keys().copied().collect();
    let root = |root: &ObjectRef| {
        places.iter().copied().find(|object_ref| at(*object_ref) == *root).expect("a root is an object")
    };
    PlaneResponse {
        state: verdict.state.name(),
        roots: verdict.roots.iter().map(|own| root(&own.object_ref)).collect(),
        failing: verdict.failing.iter().map(|failing| failing.route.unwrap_or(routes)).collect(),
    }
}

fn at(object_ref: Place) -> ObjectRef {
    ObjectRef::new(Kind::IngressRoute, object_ref.0, object_ref.1)
}
