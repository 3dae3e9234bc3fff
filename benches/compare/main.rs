//! Measures comparisons of large sets of objects: `cargo bench --bench compare`.
//!
//! Ingresses of ingress-nginx are compared with the routes that replace them, and routes with themselves after one of them was changed.
//! Every result is checked. An exceeded bound is only printed.

#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/cpu.rs"]
mod cpu;
#[path = "../reviews/table.rs"]
mod table;

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, ensure};
use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::compare::{HostResult, Overall, Pairing, Side, Written, compare};
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
        let all: Vec<Value> = base()
            .into_iter()
            .chain((0..hosts).map(ingress))
            .chain((0..hosts).map(|number| route(number, 80)))
            .collect();
        let (from, to) = (class(), gateway());
        rows.extend(measure(
            &format!("{hosts} Ingresses against {hosts} routes"),
            [(&all, &from), (&all, &to)],
            bound,
            Pairing::All,
            |results| results.iter().filter(|result| result.overall() != Overall::Same).count() == 0,
        )?);
        let change = |port: i64| {
            base().into_iter().chain((0..hosts).map(move |number| route(number, if number == 7 { port } else { 80 })))
        };
        let (before, after): (Vec<Value>, Vec<Value>) = (change(80).collect(), change(81).collect());
        let every = Scope::default();
        rows.extend(measure(
            &format!("{hosts} routes, of which one has changed"),
            [(&before, &every), (&after, &every)],
            bound,
            Pairing::ByName,
            |results| results.iter().filter(|result| result.overall() == Overall::Different).count() == 1,
        )?);
    }
    let (count, bound) = EXPRESSIONS;
    let side = |last: &str| -> Vec<Value> { base().into_iter().chain(with_expressions(count, last)).collect() };
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
    sides: [(&[Value], &Scope); 2],
    bound: f64,
    pairing: Pairing,
    is_right: impl Fn(&[HostResult]) -> bool,
) -> Result<[Row; 2]> {
    let texts = sides.map(|(values, _)| values.iter().map(Value::to_string).collect::<Vec<_>>());
    let kinds = sides.map(|(values, _)| values.iter().filter_map(kind).collect::<Vec<_>>());
    let (start, config) = (Instant::now(), Config::default());
    let read = |side: usize| -> Result<Vec<Stored<'_>>> {
        let all = kinds[side].iter().zip(&texts[side]);
        all.map(|(kind, text)| {
            let object = decode(*kind, text)?;
            Ok(Stored { object_ref: object.object_ref(), object })
        })
        .collect()
    };
    let objects = [read(0)?, read(1)?];
    let clusters = objects.each_ref().map(|objects| {
        let mut cluster = Cluster::with(SyncState::Complete);
        objects.iter().for_each(|stored| cluster.apply(Event::Apply(Facts::of(&stored.object))));
        cluster
    });
    let snapshots = [0, 1].map(|side: usize| Snapshot::new(&objects[side], &clusters[side], &config));
    let compared = Instant::now();
    let written = [0, 1].map(|side: usize| {
        let all = objects[side].iter().map(|stored| &stored.object_ref).zip(&texts[side]);
        let evaluated = all.map(|(object, text)| (object, text.as_str())).collect();
        Written { evaluated, is_complete: true, ..Written::default() }
    });
    let [before, after] =
        [0, 1].map(|side: usize| Side { snapshot: &snapshots[side], scope: sides[side].1, written: &written[side] });
    let results = black_box(compare(before, after, pairing, &ENDPOINTS));
    let (whole, alone) = (start.elapsed().as_secs_f64(), compared.elapsed().as_secs_f64());
    ensure!(is_right(&results), "{what}: a wrong result");
    Ok([
        figure(&format!("{what}, s"), whole, Some(bound)),
        figure(&format!("{what}: without decoding, s"), alone, None),
    ])
}

fn kind(value: &Value) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| value["kind"] == kind.api().kind)
}
