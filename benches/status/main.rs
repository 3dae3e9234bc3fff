//! Measures how long the statuses of many objects take: `cargo bench --bench status`.
//!
//! One process, one thread, no network: the view applies a change, and the objects that it affects are evaluated. An
//! exceeded bound is only printed, since the machine may be shared.

#[allow(dead_code, reason = "the other benches use the rest of it")]
#[path = "../reviews/table.rs"]
mod table;
mod world;

use std::time::{Duration, Instant};

use jiff::Timestamp;
use tikv_jemallocator::Jemalloc;

use crate::table::{Table, figure};
use crate::world::{Change, GATEWAYS, World};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// The numbers of routes between which a change of one route must cost the same.
const USUAL: usize = 10_000;
const LARGE: usize = 50_000;
/// How many changes of each sort are timed.
const CHANGES: usize = 1_000;
/// More bytes than the CPU caches hold, and the distance at which they are touched.
const BEYOND_CACHES: usize = 64 << 20;
const CACHE_LINE: usize = 64;
/// How often everything is evaluated from scratch.
const BUILDS: usize = 3;

fn main() {
    let mut worlds = [USUAL, LARGE].map(World::new);
    let cold_start = cold_start(&worlds[0]);
    let mut other_data = vec![0_u8; BEYOND_CACHES];
    // In turns, so that other load on the machine affects both sizes alike.
    let mut times: [[Sample; 3]; 2] = Default::default();
    for _ in 0..CHANGES {
        for (world, [route, gateway, grant]) in worlds.iter_mut().zip(&mut times) {
            route.add(world, World::route_change, &mut other_data);
            gateway.add(world, World::gateway_change, &mut other_data);
            grant.add(world, World::grant_change, &mut other_data);
        }
    }
    let [[usual, gateway, grant], [large, large_gateway, _]] =
        times.each_mut().map(|all| all.each_mut().map(|sample| sample.p50()));
    let of_gateway = (USUAL / GATEWAYS) as f64;
    let rows = vec![
        figure("a lone change of one route among 10,000: p50, us", usual.0, Some(100.0)),
        figure("a lone change of one route among 50,000: p50, us", large.0, None),
        figure("p50 among 50,000 to that among 10,000", large.0 / usual.0, Some(2.0)),
        figure("a lone change of a Gateway with 50 routes: p50, us", gateway.0, None),
        figure("the same for each evaluated object", gateway.0 / gateway.1, None),
        figure("a lone change of a Gateway with 250 routes: p50, us", large_gateway.0, None),
        figure("the same for each evaluated object", large_gateway.0 / large_gateway.1, None),
        figure("objects that a Gateway change evaluates, for each of its routes", gateway.1 / of_gateway, Some(1.1)),
        figure("a lone change of a grant that 100 routes need: p50, us", grant.0, None),
        figure("objects that it evaluates", grant.1, None),
        figure("10,000 routes from nothing, without a difference: s", cold_start, Some(2.0)),
    ];
    println!("{}", Table { figures: vec!["measured"], rows });
}

/// The times of some changes, and how many objects each evaluated.
#[derive(Default)]
struct Sample(Vec<(Duration, usize)>);

impl Sample {
    /// Measures a change with cold CPU caches.
    fn add(&mut self, world: &mut World, next: fn(&mut World) -> Change, other_data: &mut [u8]) {
        let change = next(world);
        other_data.iter_mut().step_by(CACHE_LINE).for_each(|byte| *byte = byte.wrapping_add(1));
        let start = Instant::now();
        let evaluated = world.take_in(change);
        self.0.push((start.elapsed(), evaluated));
        assert!(evaluated > 0, "a change that evaluates nothing proves nothing");
    }

    /// The median time in microseconds, and the number of objects that it evaluated.
    fn p50(&mut self) -> (f64, f64) {
        self.0.sort_unstable();
        let (time, evaluated) = self.0[self.0.len() / 2];
        (time.as_secs_f64() * 1e6, evaluated as f64)
    }
}

/// The shortest time, in seconds, to evaluate everything that is stored and to find nothing to write.
fn cold_start(world: &World) -> f64 {
    let now = Timestamp::UNIX_EPOCH;
    let stored = world.stored(now);
    let build = || {
        let stored = stored.clone();
        let start = Instant::now();
        assert_eq!(world.differences(stored, now), 0, "the stored statuses are those of the same objects");
        start.elapsed()
    };
    (0..BUILDS).map(|_| build()).min().unwrap_or_default().as_secs_f64()
}
