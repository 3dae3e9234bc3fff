//! Measures an answer of `explain` in a large cluster: `cargo bench --bench explain`.
//!
//! 10,000 Ingresses, 10,000 HTTPRoutes and 10,000 IngressRoutes are loaded once. Then requests are explained in
//! process, for hosts of each kind and for unknown hosts. Every answer is checked. An exceeded bound is only printed.

#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/gateways.rs"]
mod gateways;
#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/http_route.rs"]
mod http_route;
#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/ingress.rs"]
mod ingress;
#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/ingress_route.rs"]
mod ingress_route;
#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/metadata.rs"]
mod metadata;
#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/objects.rs"]
mod objects;
#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/table.rs"]
mod table;

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::config::Config;
use portcullis_core::explain::{Request, Scope, Snapshot, Stored};
use portcullis_core::kinds::{Object, decode};

use crate::objects::ingress_name;
use crate::table::{Row, Table, figure};

/// The number of objects of each kind.
const OBJECTS: usize = 10_000;
/// The number of requests of each sort.
const REQUESTS: usize = 1_000;
/// The maximum time for one answer, in milliseconds.
const BOUND: f64 = 5.0;

fn main() -> Result<()> {
    let all = objects::rest().chain(objects::ingresses(OBJECTS));
    let all = all.chain(gateways::all()).chain(http_route::http_routes(OBJECTS));
    let texts: Vec<_> = all.chain(ingress_route::roots(OBJECTS)).collect();
    let start = Instant::now();
    let read = texts.iter().map(|text| decode(text.kind, &text.json).map(|object| (object.object_ref(), object)));
    let objects: Vec<_> =
        read.map(|read| read.map(|(object_ref, object)| Stored { object_ref, object })).collect::<Result<_, _>>()?;
    let mut cluster = Cluster::with(SyncState::Complete);
    objects.iter().for_each(|stored| cluster.apply(Event::Apply(Facts::of(&stored.object))));
    let config = Config::default();
    let world = Snapshot::new(&objects, &cluster, &config);
    let mut rows = vec![figure("from JSON to a world that can be asked, s", start.elapsed().as_secs_f64(), None)];
    rows.extend(measure("an Ingress answers", &world, ingress_urls(), true)?);
    rows.extend(measure("an HTTPRoute answers", &world, route_urls(&objects), true)?);
    rows.extend(measure("an IngressRoute answers", &world, root_urls(), true)?);
    let unknown = (0..REQUESTS).map(|number| format!("https://host-{number}.nowhere.example.org/"));
    rows.extend(measure("nobody answers", &world, unknown, false)?);
    println!("{OBJECTS} Ingresses, HTTPRoutes and IngressRoutes each, {} objects in all\n", objects.len());
    println!("{}", Table { figures: vec!["measured"], rows });
    Ok(())
}

fn ingress_urls() -> impl Iterator<Item = String> {
    let step = OBJECTS / REQUESTS;
    (0..REQUESTS).map(move |number| {
        let name = ingress_name(number * step);
        format!("http://host-{host}.{name}.example.com/api/v{host}/part-0/x", host = number % 10)
    })
}

/// The root path of the first host of every tenth HTTPRoute.
fn route_urls(objects: &[Stored<'_>]) -> impl Iterator<Item = String> {
    let routes = objects.iter().filter_map(|stored| match &stored.object {
        Object::HttpRoute(route) => Some(route),
        _ => None,
    });
    routes
        .step_by(OBJECTS / REQUESTS)
        .filter_map(|route| Some(format!("https://{}/", &**route.spec.hostnames.first()?)))
}

/// The second prefix of every tenth root.
fn root_urls() -> impl Iterator<Item = String> {
    let step = OBJECTS / REQUESTS;
    (0..REQUESTS).map(move |number| format!("https://{}/api/storefront/v1/x", ingress_route::host_of(number * step)))
}

/// Explains each request once. Returns the median and the longest time of an answer.
fn measure(what: &str, world: &Snapshot<'_>, urls: impl Iterator<Item = String>, is_found: bool) -> Result<[Row; 2]> {
    let (scope, mut times) = (Scope::default(), Vec::new());
    for url in urls {
        let request = Request::parse("GET", &url, &[], None, None)?;
        let start = Instant::now();
        let answer = black_box(world.ask(black_box(&request), &scope));
        times.push(start.elapsed().as_secs_f64() * 1e3);
        // An object that serves the host, but not this request, is listed among the losers.
        let found = answer.winner.is_some() || !answer.losers.is_empty();
        ensure!(found == is_found, "{url} is answered wrongly: {answer:?}");
    }
    times.sort_by(f64::total_cmp);
    let (median, longest) = (times.get(times.len() / 2), times.last());
    let (median, longest) = (median.context("no request")?, longest.context("no request")?);
    Ok([
        figure(&format!("{what}: p50, ms"), *median, Some(BOUND)),
        figure(&format!("{what}: longest, ms"), *longest, None),
    ])
}
