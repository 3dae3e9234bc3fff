//! Compares questions about one object with an enumeration of all paths, and tests shapes in which the number of paths
//! explodes.

use portcullis_core::cluster::delegation_facts::{DelegationFacts, EdgeFacts, IngressRouteExtras};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::config::Config;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::matching::Host;
use portcullis_core::routing::delegation::{
    Chain, DelegationState, DelegationTarget, GraphContext, GraphState, NeighborVerdicts,
};
use portcullis_testing::rng::Rng;

use super::model::{self, Model, Place, Plain};

const GRAPHS: u64 = 4_000;

/// All paths from one vertex to another one of the same class that visit no object twice.
fn ways(model: &Model, from: Place, to: Place, walked: &mut Vec<Place>, all: &mut Vec<Vec<Place>>) {
    walked.push(from);
    for target in next(model, from) {
        if target == to {
            all.push(walked.clone());
        } else if !walked.contains(&target) {
            ways(model, target, to, walked, all);
        }
    }
    walked.pop();
}

fn around<'r>(
    facts: &'r DelegationFacts,
    cluster: &'r Overlay<'r>,
    config: &'r Config,
    neighbors: &'r NeighborVerdicts,
) -> GraphContext<'r> {
    GraphContext { cluster, config, class: facts.class.as_deref(), is_root: facts.root.is_some(), neighbors }
}

/// The vertices to which an object delegates.
fn next(model: &Model, from: Place) -> Vec<Place> {
    let plain = &model.routes[&from];
    let is_vertex = |to: &Place| model.routes.get(to).is_some_and(|to| to.host.is_none() && to.class == plain.class);
    targets(plain).filter(is_vertex).collect()
}

fn targets(plain: &Plain) -> impl Iterator<Item = Place> {
    plain.routes.iter().filter_map(|(_, to)| *to).chain(plain.tcp_target)
}

#[test]
fn cycles_match_enumeration_of_all_paths() {
    let mut closed = 0;
    for seed in 0..GRAPHS {
        let mut rng = Rng::new(seed);
        let model = Model::random(&mut rng);
        let cluster = model.cluster(&mut rng);
        for (object_ref, plain) in &model.routes {
            let facts = plain.facts(*object_ref);
            let view = Overlay::new(&cluster, &facts.object_ref);
            let neighbors = NeighborVerdicts::new();
            let near = around(&facts, &view, model::config(false), &neighbors);
            let above = near.above();
            assert!(
                Chain::of(&near, facts.targets()).longest() <= 2 * model.routes.len(),
                "graph {seed}: a cycle has an end"
            );
            let mut expected = Vec::new();
            for target in targets(plain).filter(|target| target != object_ref) {
                let mut all = Vec::new();
                if plain.host.is_none() && next(&model, *object_ref).contains(&target) {
                    ways(&model, target, *object_ref, &mut Vec::new(), &mut all);
                }
                expected.push(all.iter().map(Vec::len).min().map(|shortest| shortest + 2));
            }
            closed += expected.iter().flatten().count();
            let places = facts.targets().filter(|target| near.target(target) != DelegationTarget::Itself);
            let closes = |target| near.vertex(target).and_then(|_| Some(above.cycle(target)?.len()));
            assert_eq!(places.map(closes).collect::<Vec<_>>(), expected, "graph {seed}: {object_ref:?} in {model:#?}");
        }
    }
    assert!(closed > 300, "{closed} cycles prove little");
}

#[test]
fn chain_length_is_that_of_the_longest_path() {
    let mut longest = 0;
    for seed in 0..GRAPHS {
        let mut rng = Rng::new(seed);
        let mut model = Model::random(&mut rng);
        // Without cycles: each object delegates only to later ones.
        for (object_ref, plain) in &mut model.routes {
            plain.routes.retain(|(_, to)| to.is_none_or(|to| to > *object_ref));
            plain.tcp_target = plain.tcp_target.filter(|to| to > object_ref);
        }
        let cluster = model.cluster(&mut rng);
        for (object_ref, plain) in &model.routes {
            let facts = plain.facts(*object_ref);
            let view = Overlay::new(&cluster, &facts.object_ref);
            let neighbors = NeighborVerdicts::new();
            let chain = Chain::of(&around(&facts, &view, model::config(false), &neighbors), facts.targets());
            let above = if plain.host.is_some() { 0 } else { above(&model, *object_ref) };
            assert_eq!(chain.above, above, "graph {seed}: {object_ref:?} in {model:#?}");
            let below = next(&model, *object_ref).into_iter().map(|to| below(&model, to)).max().unwrap_or(0);
            assert_eq!(chain.longest(), above + 1 + below, "graph {seed}: {object_ref:?} in {model:#?}");
            longest = longest.max(chain.longest());
        }
    }
    assert!(longest > 3, "chains of {longest} prove little");
}

fn above(model: &Model, object_ref: Place) -> usize {
    let delegators = model.routes.keys().filter(|from| next(model, **from).contains(&object_ref));
    delegators
        .map(|from| 1 + if model.routes[from].host.is_some() { 0 } else { above(model, *from) })
        .max()
        .unwrap_or(0)
}

fn below(model: &Model, object_ref: Place) -> usize {
    1 + next(model, object_ref).into_iter().map(|to| below(model, to)).max().unwrap_or(0)
}

/// A chain in which each object delegates twice to the next one, so that the number of paths doubles at each level.
fn shared_chain(levels: usize) -> Vec<DelegationFacts> {
    let object_ref = |level: usize| ObjectRef::new(Kind::IngressRoute, "team", &format!("level-{level:04}"));
    let level = |level: usize| {
        let prefixes = ["/", "//"].into_iter().enumerate().filter(|_| level + 1 < levels);
        let edges = prefixes.map(|(index, prefix)| EdgeFacts {
            index,
            prefix: prefix.into(),
            target: object_ref(level + 1).into(),
        });
        DelegationFacts {
            is_truncated: false,
            object_ref: object_ref(level).into(),
            class: None,
            root: (level == 0).then(|| Host::parse("shop.example").into_owned()),
            edges: edges.collect(),
            tcp: None,
            uses: Default::default(),
            consent: None,
            serves: if level + 1 == levels { Box::from([Box::from("/")]) } else { Box::from([]) },
            created: None,
            generation: None,
            own: Some(Box::new(IngressRouteExtras::default())),
            headers: None,
        }
    };
    (0..levels).map(level).collect()
}

/// The test counts evaluated delegations rather than time. Each is evaluated twice, once for cycles and once for its
/// prefix.
#[test]
fn a_shared_chain_of_delegations_is_walked_once() {
    for levels in [22, 5_000] {
        let mut cluster = Cluster::with(SyncState::Complete);
        let all = shared_chain(levels);
        all.iter().cloned().for_each(|facts| cluster.apply(Event::Apply(Facts::Delegation(Box::new(facts)))));
        let (config, mut verdicts) = (Config::default(), GraphState::default());
        verdicts.reconcile(cluster.take_dirty(), &cluster, &config);
        assert!(verdicts.iter().all(|(_, verdict)| verdict.state == DelegationState::Valid));
        assert_eq!(verdicts.steps(), 2 * 2 * (levels - 1));

        let middle = &all[levels / 2];
        let view = Overlay::new(&cluster, &middle.object_ref);
        let neighbors = NeighborVerdicts::new();
        let near = around(middle, &view, &config, &neighbors);
        assert_eq!(Chain::of(&near, middle.targets()).longest(), levels);
        assert_eq!(near.above().cycle(&all[levels / 2 + 1].object_ref), None);
        assert_eq!(near.above().cycle(&all[1].object_ref).map(|cycle| cycle.len()), Some(levels / 2 + 1));
    }
}
