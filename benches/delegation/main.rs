//! Measures a change of one IngressRoute among many: `cargo bench --bench delegation`.
//!
//! One process, one thread, no network: the view applies a change, and the verdicts are updated. An exceeded bound is
//! only printed, since the machine may be shared.

mod graph;
#[allow(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../reviews/table.rs"]
mod table;

use std::time::{Duration, Instant};

use portcullis_core::cluster::delegation_facts::DelegationFacts;
use portcullis_core::cluster::{Event, Facts};
use portcullis_core::config::Config;
use portcullis_core::routing::delegation::GraphState;
use tikv_jemallocator::Jemalloc;

use crate::graph::Graph;
use crate::table::{Table, figure};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// The numbers of objects between which a change must cost the same.
const SMALL: usize = 999;
const USUAL: usize = 30_000;
const LARGE: usize = 99_999;
/// How many changes are timed in a turn, and how many turns each size has.
const CHANGES: usize = 4_000;
const TURNS: usize = 5;
/// How many changes are timed with cold CPU caches, as for a change that comes alone.
const LONE_CHANGES: usize = 300;
/// More bytes than the CPU caches hold, and the distance at which they are touched.
const BEYOND_CACHES: usize = 64 << 20;
const CACHE_LINE: usize = 64;
/// How often everything is evaluated from scratch.
const BUILDS: usize = 3;

fn main() {
    let mut worlds: Vec<World> = [SMALL, USUAL, LARGE].map(World::new).into();
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); worlds.len()];
    // In turns, so that other load on the machine affects all sizes alike.
    for _ in 0..TURNS {
        for (world, times) in worlds.iter_mut().zip(&mut times) {
            times.extend((0..CHANGES).map(|_| world.change()));
        }
    }
    let mut lone_times: Vec<Vec<Duration>> = vec![Vec::new(); worlds.len()];
    let mut other_data = vec![0_u8; BEYOND_CACHES];
    for _ in 0..LONE_CHANGES {
        for (world, times) in worlds.iter_mut().zip(&mut lone_times) {
            times.push(world.lone_change(&mut other_data));
        }
    }
    let at = |times: &mut Vec<Duration>, share: f64| {
        times.sort_unstable();
        times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e6
    };
    let [small, usual, large] = [0, 1, 2].map(|size| at(&mut times[size], 0.5));
    let [lone_small, lone_usual, lone_large] = [0, 1, 2].map(|size| at(&mut lone_times[size], 0.5));
    let build = |size: usize| (0..BUILDS).map(|_| build(size)).min().unwrap_or_default();
    let (usual_build, large_build) = (build(USUAL), build(LARGE));
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let chain = (0..BUILDS).map(|_| shared_chain(22)).min().unwrap_or_default();
    let rows = vec![
        figure("one change among 30,000: p50, us", usual, Some(20.0)),
        figure("one change among 30,000: p99, us", at(&mut times[1], 0.99), None),
        figure("one change among 999: p50, us", small, None),
        figure("one change among 99,999: p50, us", large, None),
        figure("p50 among 99,999 to that among 999", large / small, Some(2.0)),
        figure("a lone change among 30,000: p50, us", lone_usual, None),
        figure("a lone change among 999: p50, us", lone_small, None),
        figure("a lone change among 99,999: p50, us", lone_large, None),
        figure("p50 of a lone change among 99,999 to that among 999", lone_large / lone_small, Some(2.0)),
        figure("30,000 from nothing, view and verdicts: ms", milliseconds(usual_build.0 + usual_build.1), Some(250.0)),
        figure("30,000 from nothing, verdicts alone: ms", milliseconds(usual_build.1), None),
        figure("99,999 from nothing, view and verdicts: ms", milliseconds(large_build.0 + large_build.1), None),
        figure("22 levels that share all below them: ms", milliseconds(chain), Some(50.0)),
    ];
    println!("{}", Table { figures: vec!["measured"], rows });
}

/// A graph with the verdicts on all its objects.
struct World {
    graph: Graph,
    verdicts: GraphState,
    config: Config,
    turn: usize,
}

impl World {
    fn new(size: usize) -> Self {
        let mut graph = Graph::new(size);
        graph.fill();
        let (config, mut verdicts) = (Config::default(), GraphState::default());
        verdicts.reconcile(graph.cluster.take_dirty(), &graph.cluster, &config);
        assert_eq!(verdicts.iter().count(), size, "every object has a verdict");
        Self { graph, verdicts, config, turn: 0 }
    }

    /// Measures a change with cold CPU caches.
    fn lone_change(&mut self, other_data: &mut [u8]) -> Duration {
        let facts = self.graph.edited(self.turn);
        other_data.iter_mut().step_by(CACHE_LINE).for_each(|byte| *byte = byte.wrapping_add(1));
        self.take_in(facts)
    }

    /// Measures a change that directly follows another one: a child, far from the previous one, leaves the prefix that
    /// is delegated to it, or returns. The result is the time for the view and the verdicts.
    fn change(&mut self) -> Duration {
        let facts = self.graph.edited(self.turn);
        self.take_in(facts)
    }

    fn take_in(&mut self, facts: DelegationFacts) -> Duration {
        self.turn += 1;
        let start = Instant::now();
        self.graph.cluster.apply(Event::Apply(Facts::Delegation(Box::new(facts))));
        let dirty = self.graph.cluster.take_dirty();
        let changed = self.verdicts.reconcile(dirty, &self.graph.cluster, &self.config);
        let took = start.elapsed();
        assert!(!changed.is_empty(), "an edit that changes nothing proves nothing");
        took
    }
}

/// The time to fill a view, and the time for the verdicts on all of it.
fn build(size: usize) -> (Duration, Duration) {
    let mut graph = Graph::new(size);
    let start = Instant::now();
    graph.fill();
    let filled = start.elapsed();
    let mut verdicts = GraphState::default();
    verdicts.reconcile(graph.cluster.take_dirty(), &graph.cluster, &Config::default());
    let took = start.elapsed() - filled;
    assert_eq!(verdicts.counts().hosts(usize::MAX).len(), 2 * (size / 3), "each host is told of two namespaces");
    (filled, took)
}

/// Measures the evaluation of a chain in which each object delegates twice to the next, so that the number of paths
/// doubles at each level.
fn shared_chain(levels: usize) -> Duration {
    let mut cluster = graph::shared_chain(levels);
    let start = Instant::now();
    let mut verdicts = GraphState::default();
    verdicts.reconcile(cluster.take_dirty(), &cluster, &Config::default());
    let took = start.elapsed();
    assert!(verdicts.iter().all(|(_, verdict)| verdict.roots.len() == 1), "the root reaches all of them");
    took
}
