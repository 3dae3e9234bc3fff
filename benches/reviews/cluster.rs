//! Measures the product beside a real API server: the time until it is ready over a full cluster, its memory then, and
//! how much longer a write takes.

use std::path::Path;
use std::thread;
use std::time::Instant;

use anyhow::{Result, ensure};
use portcullis_core::kinds::Kind;
use serde_json::json;

use crate::harness::{ControlPlane, Flavour, Http, Webhooks, assets, eventually};
use crate::objects::{self, Object};
use crate::payload;
use crate::product::Product;
use crate::rounds::median;
use crate::table::{Row, Table, figure, mebibytes};
use crate::{INGRESSES, added_latency, cpu};

/// The number of dry-run creations in each namespace.
const CREATES: usize = 1_500;
/// How often the product is started.
const STARTS: usize = 3;
/// The number of concurrent requests that store objects.
const AT_ONCE: usize = 8;

/// Measures and prints everything, or prints why this is not possible here.
pub fn bench(folder: &Path) -> Result<()> {
    match assets() {
        Ok(_) => println!("{}", Table { figures: vec!["measured"], rows: rows(folder)? }),
        Err(lack) => println!("not measured, beside an API server: {lack}"),
    }
    Ok(())
}

fn rows(folder: &Path) -> Result<Vec<Row>> {
    let control_plane = ControlPlane::start(Flavour::Plain);
    fill(&control_plane.http())?;
    let start = || Product::over_cluster(folder, &control_plane.kubeconfig());
    let starts = (1..STARTS).map(|_| Ok(start()?.start.as_secs_f64())).collect::<Result<Vec<f64>>>()?;
    let product = start()?;
    let ready = median([starts, vec![product.start.as_secs_f64()]].concat());
    let resident = cpu::resident(product.server.pid())?;
    let mut rows = vec![
        figure("in a cluster: start to ready, s", ready, Some(2.0)),
        figure("in a cluster: resident when ready, MiB", mebibytes(resident), Some(60.0)),
    ];
    rows.extend(writes(&control_plane, &product)?);
    let most = mebibytes(cpu::most_resident(product.server.pid())?);
    rows.push(figure("in a cluster: most ever resident, MiB", most, None));
    rows.push(figure("in a cluster: Ingresses in the index", product.facts()?.indexed as f64, None));
    Ok(rows)
}

/// Stores the objects of the bench. Cluster-scoped objects come first, since they include the namespaces of the others.
fn fill(http: &Http) -> Result<()> {
    let (roots, rest): (Vec<_>, Vec<_>) = objects::rest().partition(|object| object.namespace.is_empty());
    store(http, &roots)?;
    store(http, &rest)?;
    store(http, &objects::ingresses(INGRESSES).collect::<Vec<_>>())
}

fn store(http: &Http, objects: &[Object]) -> Result<()> {
    thread::scope(|scope| {
        let shares = objects.chunks(objects.len().div_ceil(AT_ONCE));
        let workers: Vec<_> = shares
            .map(|share| scope.spawn(|| share.iter().try_for_each(|object| create(http, object, "")).map(drop)))
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })
}

fn create(http: &Http, object: &Object, query: &str) -> Result<()> {
    let path = collection(object.kind, &object.namespace);
    let (status, answer) = http.post(&format!("{path}{query}"), object.json.as_str());
    ensure!(status == 201, "{path} answers {status}: {answer}");
    Ok(())
}

/// The URL path under which objects are created.
fn collection(kind: Kind, namespace: &str) -> String {
    let api = kind.api();
    let root = if api.group.is_empty() { "/api".to_owned() } else { format!("/apis/{}", api.group) };
    let inside = if namespace.is_empty() { String::new() } else { format!("namespaces/{namespace}/") };
    format!("{root}/{}/{inside}{}", api.versions[0], api.plural)
}

/// Measures a write in three namespaces: one without any admission check, one with the product's webhook, and one with
/// a CEL policy. The namespaces take turns, so that other load on the machine affects all of them.
fn writes(control_plane: &ControlPlane, product: &Product) -> Result<Vec<Row>> {
    let [alone, ours, policed] = [0, 1, 2].map(objects::namespace_name);
    let (http, before) = (control_plane.http(), product.facts()?.reviews);
    let _registered = control_plane.register(product, Webhooks::validating().in_namespace(&ours));
    police(&http, &policed)?;
    let ways = [("without a guard", alone), ("with portcullis", ours), ("with a policy of two expressions", policed)];
    let writes = ways.map(|(way, namespace)| (way, payload::small(namespace)));
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..CREATES {
        for ((_, object), times) in writes.iter().zip(&mut times) {
            times.push(dry_run(&http, object)?);
        }
    }
    let reviewed = product.facts()?.reviews - before;
    ensure!(reviewed >= CREATES as u64, "the API server asked only {reviewed} times");
    let row = |((way, _), times): (&(&str, Object), Vec<f64>)| {
        figure(&format!("dry-run create, 5 KB, {way}: p50, ms"), median(times), None)
    };
    let mut rows: Vec<Row> = writes.iter().zip(times).map(row).collect();
    let [(_, without), (_, with), _] = &writes;
    rows.extend(added_latency::rows(control_plane, without, with)?);
    Ok(rows)
}

/// The milliseconds from the request to its response, which must be a success.
pub fn dry_run(http: &Http, object: &Object) -> Result<f64> {
    let begin = Instant::now();
    create(http, object, "?dryRun=All")?;
    Ok(begin.elapsed().as_secs_f64() * 1e3)
}

/// Creates a policy for a namespace, and waits until a wildcard host is refused there.
fn police(http: &Http, namespace: &str) -> Result<()> {
    let validations = [
        "object.spec.rules.all(rule, has(rule.host) && !rule.host.startsWith('*'))",
        "!has(object.metadata.annotations) || object.metadata.annotations.all(key, !key.endsWith('-snippet'))",
    ];
    let rule = json!({
        "apiGroups": ["networking.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["ingresses"],
    });
    let policy = json!({
        "matchConstraints": {"resourceRules": [rule]},
        "validations": validations.map(|expression| json!({"expression": expression})),
    });
    let only = json!({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}});
    let binding = json!({"policyName": "bench", "validationActions": ["Deny"], "matchResources": only});
    for (kind, plural, spec) in [
        ("ValidatingAdmissionPolicy", "validatingadmissionpolicies", policy),
        ("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", binding),
    ] {
        let metadata = json!({"name": "bench"});
        let object =
            json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec});
        let (status, answer) =
            http.post(&format!("/apis/admissionregistration.k8s.io/v1/{plural}"), object.to_string());
        ensure!(status == 201, "{kind}: {answer}");
    }
    let mut wildcard = payload::small(namespace.to_owned());
    wildcard.json = wildcard.json.replace(r#""host-0."#, r#""*."#);
    eventually("the policy is in force", || create(http, &wildcard, "?dryRun=All").is_err());
    Ok(())
}
