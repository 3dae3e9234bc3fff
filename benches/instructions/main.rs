//! Counts the instructions and allocations of a review in process: `cargo bench --package portcullis-instructions`.
//!
//! Valgrind counts them, so the figures do not depend on other load, and an exceeded limit fails. Requires valgrind,
//! and `gungraun-runner` in the version that its `Cargo.toml` names for `gungraun`.

#[path = "../adversarial/subject.rs"]
mod crowded;
#[allow(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../reviews/gateways.rs"]
mod gateways;
#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/http_route.rs"]
mod http_route;
#[path = "../reviews/ingress.rs"]
mod ingress;
#[path = "../reviews/ingress_route.rs"]
mod ingress_route;
#[path = "../reviews/metadata.rs"]
mod metadata;
#[allow(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../reviews/objects.rs"]
mod objects;
#[allow(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../reviews/payload.rs"]
mod payload;
mod subject;
#[allow(dead_code, reason = "the trials use the rest of it")]
#[path = "../adversarial/world.rs"]
mod world;

use std::hint::black_box;

use crabgrind::callgrind::{start_instrumentation, stop_instrumentation};
use gungraun::{
    Callgrind, Dhat, DhatMetric, EntryPoint, EventKind, LibraryBenchmarkConfig, Tool, library_benchmark,
    library_benchmark_group,
};
use serde::de::IgnoredAny;

use crate::payload::{Payload, Verdict};
use crate::subject::Subject;

/// The maximum number of instructions of the ordinary review with an index of any size: a few percent more than it takes, as the
/// limits below.
const INSTRUCTIONS: u64 = 300_000;
/// The maximum number of allocations of the ordinary review.
const ALLOCATIONS: u64 = 85;
/// The maximum under 300 overrides and 3,000 entries of host ownership, with the same margin.
const POLICY_INSTRUCTIONS: u64 = 315_000;
/// The maximum number of instructions of the review of the HTTPRoute with an index of any size, with the same margin.
const ROUTE_INSTRUCTIONS: u64 = 2_850_000;
/// The maximum number of allocations of the review of the HTTPRoute: about one per list, and one per part of a filter.
const ROUTE_ALLOCATIONS: u64 = 750;
/// The maximum number of instructions to refuse a second root, with any number of roots.
const ROOT_INSTRUCTIONS: u64 = 260_000;
/// The maximum number of instructions of a review, whatever one tenant has stored: about 100 ms.
const CROWDED_INSTRUCTIONS: u64 = 400_000_000;
/// The number of reviews before the counted one, so that one-time initialization is not counted.
const WARM_UP: usize = 10;

// The lower bound of any implementation on serde_json: read everything and keep nothing.
#[library_benchmark(config = counting())]
#[bench::ordinary(payload::ordinary())]
#[bench::route(payload::route())]
fn scan(payload: Payload) -> Payload {
    counted(|| serde_json::from_str::<IgnoredAny>(black_box(&payload.body))).expect("the payload is JSON");
    payload
}

#[library_benchmark(setup = warm, config = at_most(INSTRUCTIONS))]
#[bench::index_of_0(0, payload::ordinary)]
#[bench::index_of_1_000(1_000, payload::ordinary)]
#[bench::index_of_10_000(10_000, payload::ordinary)]
#[bench::index_of_50_000(50_000, payload::ordinary)]
fn ordinary((subject, payload): (Subject, Payload)) -> (Subject, Payload, Vec<u8>) {
    let answer = counted(|| subject.validate(black_box(&payload.body)));
    (subject, payload, answer)
}

// The same review under the configuration of a platform with hundreds of teams.
#[library_benchmark(setup = warm_policy, config = at_most(POLICY_INSTRUCTIONS))]
#[bench::none(0, 0)]
#[bench::overrides_1_entries_1(1, 1)]
#[bench::overrides_300(300, 0)]
#[bench::entries_3_000(0, 3_000)]
#[bench::overrides_300_entries_3_000(300, 3_000)]
fn policy((subject, payload): (Subject, Payload)) -> (Subject, Payload, Vec<u8>) {
    let answer = counted(|| subject.validate(black_box(&payload.body)));
    (subject, payload, answer)
}

#[library_benchmark(setup = warm_route, config = at_most(ROUTE_INSTRUCTIONS))]
#[bench::index_of_0(0)]
#[bench::index_of_1_000(1_000)]
#[bench::index_of_20_000(20_000)]
fn route((subject, payload): (Subject, Payload)) -> (Subject, Payload, Vec<u8>) {
    let answer = counted(|| subject.validate(black_box(&payload.body)));
    (subject, payload, answer)
}

#[library_benchmark(setup = warm_roots, config = at_most(ROOT_INSTRUCTIONS))]
#[bench::index_of_5_000(5_000)]
#[bench::index_of_20_000(20_000)]
fn second_root((subject, payload): (Subject, Payload)) -> (Subject, Payload, Vec<u8>) {
    let answer = counted(|| subject.validate(black_box(&payload.body)));
    (subject, payload, answer)
}

// The most expensive reviews that one tenant can cause within the limits of the CRDs.
#[library_benchmark(setup = crowded, config = at_most(CROWDED_INSTRUCTIONS))]
#[bench::routes_on_listener_sets(world::routes_on_listener_sets)]
#[bench::routes_on_one_gateway(world::routes_on_one_gateway)]
#[bench::tls_routes(world::tls_routes)]
#[bench::http_beside_grpc(world::http_beside_grpc)]
#[bench::tcp_routes(world::tcp_routes)]
#[bench::listener_sets(world::listener_sets)]
#[bench::ingresses(world::ingresses)]
#[bench::policies(world::policies)]
#[bench::grants(world::grants)]
#[bench::delegations(world::delegations)]
#[bench::includes(world::includes)]
fn adversarial(subject: crowded::Subject) -> (crowded::Subject, Vec<u8>) {
    let answer = counted(|| black_box(&subject).validate());
    (subject, answer)
}

#[library_benchmark(setup = warm, config = counting())]
#[bench::large(1_000, payload::large)]
#[bench::wide(1_000, payload::wide)]
#[bench::conflicting(1_000, payload::conflicting)]
fn others((subject, payload): (Subject, Payload)) -> (Subject, Payload, Vec<u8>) {
    let answer = counted(|| subject.validate(black_box(&payload.body)));
    (subject, payload, answer)
}

#[library_benchmark(setup = warm, config = allocating_at_most(ALLOCATIONS))]
#[bench::index_of_1_000(1_000, payload::ordinary)]
fn allocations((subject, payload): (Subject, Payload)) -> (Subject, Payload, Vec<u8>) {
    let answer = subject.validate(black_box(&payload.body));
    (subject, payload, answer)
}

#[library_benchmark(setup = warm_route, config = allocating_at_most(ROUTE_ALLOCATIONS))]
#[bench::index_of_1_000(1_000)]
fn route_allocations((subject, payload): (Subject, Payload)) -> (Subject, Payload, Vec<u8>) {
    let answer = subject.validate(black_box(&payload.body));
    (subject, payload, answer)
}

/// Without simulated caches, which would double the time and whose sizes match no real machine, and from [`counted`] on: to count
/// what builds the views takes seven times as long.
fn callgrind() -> Callgrind {
    Callgrind::with_args(["--cache-sim=no", "--instr-atstart=no"]).entry_point(EntryPoint::None).clone()
}

/// Counts the instructions of this work alone.
fn counted<T>(work: impl FnOnce() -> T) -> T {
    start_instrumentation();
    let answer = work();
    stop_instrumentation();
    answer
}

fn counting() -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default().tool(callgrind()).clone()
}

fn at_most(instructions: u64) -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default().tool(callgrind().hard_limits([(EventKind::Ir, instructions)])).clone()
}

fn allocating_at_most(blocks: u64) -> LibraryBenchmarkConfig {
    let dhat = Dhat::default().hard_limits([(DhatMetric::TotalBlocks, blocks)]).clone();
    LibraryBenchmarkConfig::default().default_tool(Tool::DHAT).tool(dhat).clone()
}

/// A reviewer over this world.
fn crowded(world: fn() -> world::World) -> crowded::Subject {
    crowded::Subject::new(&world())
}

/// A reviewer over this number of Ingresses that has already answered the review several times, correctly.
fn warm(ingresses: usize, payload: fn() -> Payload) -> (Subject, Payload) {
    warmed(Subject::over_ingresses(ingresses), payload())
}

/// The same over 1,000 Ingresses, under so many overrides and entries of host ownership.
fn warm_policy(overrides: usize, entries: usize) -> (Subject, Payload) {
    warmed(Subject::under_policy(overrides, entries), payload::ordinary())
}

/// The same over HTTPRoutes, for the review of an HTTPRoute.
fn warm_route(routes: usize) -> (Subject, Payload) {
    warmed(Subject::over_http_routes(routes), payload::route())
}

/// The same over roots, one of which already has the host of the reviewed one.
fn warm_roots(roots: usize) -> (Subject, Payload) {
    warmed(Subject::over_roots(roots), payload::second_root())
}

fn warmed(subject: Subject, payload: Payload) -> (Subject, Payload) {
    for _ in 0..WARM_UP {
        judge(&subject.validate(&payload.body), &payload);
    }
    (subject, payload)
}

fn judge(answer: &[u8], payload: &Payload) {
    let review: serde_json::Value = serde_json::from_slice(answer).expect("an answer is JSON");
    let response = &review["response"];
    assert_eq!(response["uid"], payload::UID);
    assert_eq!(response["allowed"], payload.verdict == Verdict::Clean, "{}: {review}", payload.name);
    assert!(payload.verdict == Verdict::Denied || response["warnings"].is_null(), "{}: {review}", payload.name);
}

library_benchmark_group!(
    name = reviews,
    benchmarks = [scan, ordinary, policy, others, allocations, route, route_allocations, second_root, adversarial]
);
gungraun::main!(library_benchmark_groups = reviews);
