//! Measures comparisons of large sets of objects: `cargo bench --bench compare`.
//!
//! Ingresses of ingress-nginx are compared with the routes that replace them, and routes with themselves after one or all of them were
//! changed. Every result is checked. An exceeded bound is only printed.

#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/cpu.rs"]
mod cpu;
#[path = "../reviews/table.rs"]
mod table;

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use anyhow::{Result, ensure};
use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::compare::{HostResult, Kept, Overall, Pairing, Side, Written, compare};
use portcullis_core::config::Config;
use portcullis_core::explain::{Scope, Snapshot, Stored};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use serde_json::{Value, json};

use crate::table::{Row, Table, figure, mebibytes};

/// The numbers of hosts, each with the maximum time in seconds.
const SIZES: [(usize, f64); 2] = [(1_000, 1.0), (10_000, 10.0)];
/// The number of expressions of one host, and the maximum time in seconds.
const EXPRESSIONS: (usize, f64) = (200, 5.0);
/// The maximum memory in MiB, with all objects as they are written.
const MEMORY: f64 = 500.0;
/// Plain HTTP and HTTPS.
const ENDPOINTS: [(bool, u16); 2] = [(false, 80), (true, 443)];
const PATHS: [&str; 3] = ["/", "/api", "/static"];

fn main() -> Result<()> {
    let mut rows = Vec::new();
    for (hosts, bound) in SIZES {
        let served = (0..hosts).map(ingress).chain((0..hosts).map(|number| route(number, 80)));
        let all = manifests(base().into_iter().chain(served));
        let (from, to) = (class(), gateway());
        rows.extend(measure(
            &format!("{hosts} Ingresses against {hosts} routes"),
            [(&all, &from), (&all, &to)],
            bound,
            Pairing::All,
            |results| results.iter().filter(|result| result.overall() != Overall::Same).count() == 0,
        )?);
        drop(all);
        let routes = |changed: Range<usize>| {
            let port = |number: usize| if changed.contains(&number) { 81 } else { 80 };
            manifests(base().into_iter().chain((0..hosts).map(|number| route(number, port(number)))))
        };
        for (what, changed) in [("one has", 7..8), ("all have", 0..hosts)] {
            let (before, after, every, count) =
                (routes(0..0), routes(changed.clone()), Scope::default(), changed.len());
            rows.extend(measure(
                &format!("{hosts} routes, of which {what} changed"),
                [(&before, &every), (&after, &every)],
                bound,
                Pairing::ByName,
                |results| results.iter().filter(|result| result.overall() == Overall::Different).count() == count,
            )?);
        }
    }
    let (count, bound) = EXPRESSIONS;
    let side = |last: &str| manifests(base().into_iter().chain(with_expressions(count, last)));
    let (before, after, every) = (side("a"), side("b"), Scope::default());
    rows.extend(measure(
        &format!("a host with {count} expressions"),
        [(&before, &every), (&after, &every)],
        bound,
        Pairing::ByName,
        |results| results.iter().any(|result| result.overall() != Overall::Same),
    )?);
    let most = mebibytes(cpu::most_resident(std::process::id())?);
    rows.push(figure("memory of all, at most, MiB", most.round(), Some(MEMORY)));
    println!("{}", Table { figures: vec!["measured"], rows });
    Ok(())
}

fn class() -> Scope {
    Scope { class: Some("nginx".to_owned()), gateway: None }
}

fn gateway() -> Scope {
    Scope { class: None, gateway: Some(ObjectRef::new(Kind::Gateway, "edge", "public")) }
}

/// Objects as they are written, each with its kind.
fn manifests(objects: impl Iterator<Item = Value>) -> Vec<(Kind, String)> {
    let kind = |object: &Value| Kind::ALL.into_iter().find(|kind| object["kind"] == kind.api().kind);
    objects.filter_map(|object| Some((kind(&object)?, object.to_string()))).collect()
}

/// The class, the Gateway and the Services.
fn base() -> Vec<Value> {
    let service = |name: &str| {
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "web", "name": name},
            "spec": {"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81}]}})
    };
    let services = PATHS.iter().map(|path| service(&format!("s{}", path.len()))).chain([service("s")]);
    let served = [
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "metadata": {"name": "nginx"},
            "spec": {"controller": "k8s.io/ingress-nginx"}}),
        json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "metadata": {"namespace": "edge", "name": "public"}, "spec": {"gatewayClassName": "c", "listeners": [
                {"name": "http", "port": 80, "protocol": "HTTP", "allowedRoutes": {"namespaces": {"from": "All"}}}]}}),
    ];
    served.into_iter().chain(services).collect()
}

fn ingress(number: usize) -> Value {
    let path = |path: &&str| {
        json!({"path": path, "pathType": "Prefix",
        "backend": {"service": {"name": format!("s{}", path.len()), "port": {"number": 80}}}})
    };
    let paths: Vec<Value> = PATHS.iter().map(path).collect();
    json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": "web", "name": format!("i{number}")}, "spec": {"ingressClassName": "nginx",
            "rules": [{"host": host(number), "http": {"paths": paths}}]}})
}

fn route(number: usize, port: i64) -> Value {
    let rule = |path: &&str| {
        json!({"matches": [{"path": {"type": "PathPrefix", "value": path}}],
        "backendRefs": [{"name": format!("s{}", path.len()), "port": port}]})
    };
    let rules: Vec<Value> = PATHS.iter().map(rule).collect();
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": {"namespace": "web", "name": format!("r{number}")},
        "spec": {"parentRefs": [{"namespace": "edge", "name": "public"}], "hostnames": [host(number)], "rules": rules}})
}

fn host(number: usize) -> String {
    format!("host-{number}.example.com")
}

/// Routes of one host with many expressions, the last of which ends in `last`. A route has at most 16 rules.
fn with_expressions(count: usize, last: &str) -> Vec<Value> {
    let rule = |number: &usize| {
        let end = if number + 1 == count { last } else { "[a-z]+" };
        json!({"matches": [{"path": {"type": "RegularExpression", "value": format!("/p{number}/[0-9]+/{end}")}}],
            "backendRefs": [{"name": "s", "port": 80}]})
    };
    let route = |(number, rules): (usize, &[usize])| {
        json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
            "metadata": {"namespace": "web", "name": format!("expressions-{number}")},
            "spec": {"parentRefs": [{"namespace": "edge", "name": "public"}], "hostnames": ["a.example.com"],
                "rules": rules.iter().map(rule).collect::<Vec<_>>()}})
    };
    let numbers: Vec<usize> = (0..count).collect();
    numbers.chunks(16).enumerate().map(route).collect()
}

/// The time from JSON to the results, and that of the comparison alone.
fn measure(
    what: &str,
    sides: [(&[(Kind, String)], &Scope); 2],
    bound: f64,
    pairing: Pairing,
    is_right: impl Fn(&[HostResult]) -> bool,
) -> Result<[Row; 2]> {
    // A migration has one set of objects.
    let sets = if std::ptr::eq(sides[0].0, sides[1].0) { &sides[..1] } else { &sides[..] };
    let (start, config) = (Instant::now(), Config::default());
    let objects = sets.iter().map(|(manifests, _)| {
        let all = manifests.iter().map(|(kind, text)| {
            let object = decode(*kind, text)?;
            Ok(Stored { object_ref: object.object_ref(), object })
        });
        all.collect()
    });
    let objects: Vec<Vec<Stored<'_>>> = objects.collect::<Result<_>>()?;
    let cluster = |objects: &Vec<Stored<'_>>| {
        let mut cluster = Cluster::with(SyncState::Complete);
        objects.iter().for_each(|stored| cluster.apply(Event::Apply(Facts::of(&stored.object))));
        cluster
    };
    let clusters: Vec<Cluster> = objects.iter().map(cluster).collect();
    let snapshots = objects.iter().zip(&clusters);
    let snapshots: Vec<Snapshot<'_>> =
        snapshots.map(|(objects, cluster)| Snapshot::new(objects, cluster, &config)).collect();
    let compared = Instant::now();
    let written = objects.iter().zip(sets).map(|(objects, (manifests, _))| {
        let all = objects.iter().map(|stored| &stored.object_ref).zip(*manifests);
        let evaluated = all.map(|(object, (_, text))| (object, text.as_str())).collect();
        Written { evaluated, is_complete: true, ..Written::default() }
    });
    let written: Vec<Written<'_>> = written.collect();
    let [before, after] = [(0, sides[0].1), (sets.len() - 1, sides[1].1)].map(|(own, scope)| Side {
        snapshot: &snapshots[own],
        scope,
        written: &written[own],
    });
    let results = black_box(compare(before, after, pairing, &ENDPOINTS, Kept::default()));
    let (whole, alone) = (start.elapsed().as_secs_f64(), compared.elapsed().as_secs_f64());
    ensure!(is_right(&results), "{what}: a wrong result");
    Ok([
        figure(&format!("{what}, s"), whole, Some(bound)),
        figure(&format!("{what}: without decoding, s"), alone, None),
    ])
}
