//! `docs/metrics.md` lists all metrics, as a process in which everything has happened once serves them.

mod exposition;
mod process;

use std::collections::BTreeSet;

use portcullis::telemetry::Metrics;
use portcullis_core::cluster::{Cluster, Event, SyncState};
use portcullis_core::kinds::{Kind, KindSet};
use portcullis_testing::golden;
use regex::Regex;

use super::alerts::Alert;
pub use exposition::{Metric, parse};
pub use process::{started, used};

const FILE: &str = "docs/metrics.md";

const HEAD: &str = "\
# Metrics

Each replica serves its metrics at `/metrics` of the health endpoint, in the OpenMetrics text format: port 8080 over plain
HTTP (`--health-listen`; the value `healthPort` of the chart). The value `serviceMonitor.enabled` of the chart makes the
Prometheus operator read them from every pod.

Each replica counts for itself, from its start: sum counters over the pods, and compare gauges between them. Most
counters with labels have no series before their first event; those that an alert queries begin with 0.
[alerts.md](alerts.md) says what to do about each alert. `just docs` writes this file.
";

/// A section of the page.
struct Area {
    title: &'static str,
    /// What the names of its metrics begin with.
    prefixes: &'static [&'static str],
    /// What holds for all of its metrics, if anything.
    note: &'static str,
}

const AREAS: [Area; 9] = [
    Area {
        title: "Reviews",
        prefixes: &[
            "portcullis_bodies_",
            "portcullis_findings",
            "portcullis_late_",
            "portcullis_panics",
            "portcullis_rechecks_",
            "portcullis_review",
        ],
        note: "",
    },
    Area {
        title: "Knowledge of the cluster",
        prefixes: &[
            "portcullis_api_server_",
            "portcullis_crds",
            "portcullis_kind_",
            "portcullis_objects",
            "portcullis_synced",
            "portcullis_unreadable",
        ],
        note: "A process with `--objects` lacks the metrics of the API server and of the age of a kind.",
    },
    Area { title: "Configuration", prefixes: &["portcullis_checks", "portcullis_config_"], note: "" },
    Area {
        title: "Certificates",
        prefixes: &["portcullis_ca_", "portcullis_certificate"],
        note: "Without `--ca-secret`, there is only the expiry of the serving certificate.",
    },
    Area {
        title: "Leader election",
        prefixes: &["portcullis_leader"],
        note: "An election takes place only with `--ca-secret`, `--config-map`, `--enforce` or `--controller`; otherwise the value stays 0.",
    },
    Area {
        title: "Enforcement",
        prefixes: &["portcullis_enforced"],
        note: "Only with `--enforce`. Each replica shows what it has read itself, at most 5 s ago.",
    },
    Area {
        title: "Status",
        prefixes: &["portcullis_status_"],
        note: "They exist only with `--controller`. Only the holder of the Lease computes and writes.",
    },
    Area {
        title: "Connections",
        prefixes: &["portcullis_connections_", "portcullis_handshakes_"],
        note: "They count connections to the webhook endpoint, not to the health endpoint.",
    },
    Area {
        title: "IngressRoutes",
        prefixes: &["contour_ingressroute_"],
        note: "\
Names and labels are those of the design document: gauges, although most names end in `_total`. They appear when all
objects are known; with `--controller`, only the holder of the Lease exports them. Where Prometheus adds the label `namespace` of the pod, it renames that of these metrics to
`exported_namespace`, unless it honors their labels (`honorLabels`), as with the ServiceMonitor of the chart.",
    },
];

#[test]
fn each_metric_is_listed() {
    let metrics = used();
    let text = page(&parse(&metrics.render()));
    golden::must_be_current(FILE, &text);
}

/// A family without series is not in the text of `/metrics`, so the page would lack it.
#[test]
fn each_registered_metric_has_a_series() {
    let missing = |metrics: &Metrics| -> Vec<String> {
        let text = metrics.render();
        let is_absent = |name: &String| !text.contains(&format!("# TYPE {name} "));
        registered(metrics).into_iter().filter(is_absent).collect()
    };
    let (before, after) = (missing(&started()), missing(&used()));
    assert!(
        before.iter().any(|name| name == "portcullis_findings"),
        "a new process has findings, or {before:?} lacks it"
    );
    assert!(
        after.is_empty(),
        "no series of {after:?}: call what creates one in tests/pure/agreement/metrics/process.rs"
    );
}

/// `PortcullisKindUnknown` fires where this gauge is 0, and most clusters lack one of the CRDs.
#[test]
fn a_crd_that_is_not_installed_is_synced() {
    let (metrics, mut cluster) = (started(), Cluster::default());
    for kind in [Kind::HttpProxy, Kind::Ingress] {
        cluster.apply(Event::SyncState(kind, SyncState::NotServed));
    }
    cluster.apply(Event::SyncState(Kind::Gateway, SyncState::Forbidden));
    metrics.cluster(&cluster, KindSet::of(&[Kind::HttpProxy, Kind::Ingress, Kind::Gateway]));
    let text = metrics.render();
    for (kind, synced, unreadable) in [("HTTPProxy", 1, 0), ("Ingress", 0, 1), ("Gateway", 0, 1)] {
        let has = |name: &str, value: i32| text.contains(&format!("portcullis_{name}{{kind=\"{kind}\"}} {value}\n"));
        assert!(has("synced", synced) && has("unreadable", unreadable), "{kind}: {text}");
    }
}

/// The names of all metrics in the registry, which lists them only in its debug format. Those of collectors, which
/// write their names at each scrape, are not in it.
fn registered(metrics: &Metrics) -> BTreeSet<String> {
    let name = Regex::new(r#"Descriptor \{ name: "([a-z_]+)""#).expect("the pattern is valid");
    let debug = format!("{metrics:?}");
    name.captures_iter(&debug).map(|found| format!("portcullis_{}", &found[1])).collect()
}

/// Prometheus shows helps one below the other, so all have the same form: the library adds a period to those that are
/// registered, and a collector must write it.
#[test]
fn each_help_ends_with_one_period() {
    for Metric { name, help, .. } in parse(&used().render()) {
        let is_sentence = help.ends_with('.') && !help.ends_with("..");
        assert!(is_sentence, "the help of {name} does not end with one period: {help}");
        assert!(help.starts_with(|first: char| first.is_uppercase() || first == '1'), "{name} has the help `{help}`");
    }
}

/// The text of the page.
fn page(metrics: &[Metric]) -> String {
    let alerts = Alert::all();
    let mut text = HEAD.to_owned();
    for area in &AREAS {
        let mut own: Vec<&Metric> = metrics.iter().filter(|metric| area_of(metric).title == area.title).collect();
        assert!(!own.is_empty(), "the area `{}` has no metrics: remove it", area.title);
        own.sort_by_key(|metric| metric.query_name());
        let note = if area.note.is_empty() { String::new() } else { format!("{}\n\n", area.note) };
        let rows: String = own.into_iter().map(|metric| row(metric, &alerts)).collect();
        let head = "| metric | type | labels | meaning | alert |\n|---|---|---|---|---|\n";
        text += &format!("\n## {}\n\n{note}{head}{rows}", area.title);
    }
    text + &labels(metrics)
}

/// The area to which a metric belongs.
fn area_of(metric: &Metric) -> &'static Area {
    let is_of = |area: &&Area| area.prefixes.iter().any(|prefix| metric.name.starts_with(prefix));
    let mut areas = AREAS.iter().filter(is_of);
    let area = areas.next().unwrap_or_else(|| panic!("{} is in no area: add its prefix to one in AREAS", metric.name));
    assert!(areas.next().is_none(), "{} is in two areas: make the prefixes in AREAS longer", metric.name);
    area
}

fn row(metric: &Metric, alerts: &[Alert]) -> String {
    let labels: Vec<String> = metric.labels.keys().map(|label| cell(metric, label)).collect();
    let used_by = alerts.iter().filter(|alert| metric.samples.iter().any(|sample| alert.names().contains(sample)));
    let links: Vec<String> = used_by.map(|alert| format!("[{}](alerts.md)", alert.name)).collect();
    let meaning = metric.help.trim_end_matches('.').replace('|', "\\|");
    let (name, metric_type) = (metric.query_name(), &metric.metric_type);
    format!("| `{name}` | {metric_type} | {} | {meaning} | {} |\n", labels.join("; "), links.join(", "))
}

/// A label, with its values unless the last section of the page describes them.
fn cell(metric: &Metric, label: &str) -> String {
    let values = metric.labels[label].iter().filter(|value| describe(label, value).is_none());
    let listed: Vec<String> = values.map(|value| format!("`{value}`")).collect();
    match (listed.is_empty(), listed.len() == metric.labels[label].len()) {
        (true, _) => format!("`{label}`"),
        (false, true) => format!("`{label}` ({})", listed.join(", ")),
        (false, false) => format!("`{label}` (also {})", listed.join(", ")),
    }
}

/// What a value of a label is, unless the label has a few fixed values, which the tables list.
fn describe(label: &str, value: &str) -> Option<String> {
    let kinds = || Kind::ALL.map(|kind| format!("`{}`", kind.label())).join(", ");
    let text = match label {
        "action" | "change" | "dry_run" | "reason" | "verdict" => return None,
        "kind" if Kind::ALL.into_iter().any(|kind| kind.label() == value) => {
            &format!("The kind of an object: {}", kinds())
        }
        "kind" => return None,
        "bundle" => {
            &format!("The release of the Gateway API to which the CRD belongs, and its channel, such as `{value}`")
        }
        "check" => &format!("The id of a [check](checks.md), such as `{value}`"),
        "hash" => "The first digits of the SHA-256 of the text of the configuration",
        "max_action" => "The `maxAction` of the configuration; `Deny` if it sets none",
        "namespace" => "The namespace of the objects",
        "profile" => "The profile of the configuration",
        "vhost" => {
            "The host of the objects; empty if they have none or several, or if there are too many hosts for a series each"
        }
        other => panic!("the label `{other}` is not known: say in `describe` what its values are"),
    };
    Some(text.to_owned())
}

/// The section that describes labels whose values the tables do not list.
fn labels(metrics: &[Metric]) -> String {
    let all = metrics.iter().flat_map(|metric| &metric.labels);
    let described = all.filter_map(|(label, values)| {
        let text = values.iter().find_map(|value| describe(label, value))?;
        Some(format!("| `{label}` | {text} |\n"))
    });
    let rows: BTreeSet<String> = described.collect();
    let rows = Vec::from_iter(rows).concat();
    format!("\n## Labels\n\nThe labels whose values are not listed above:\n\n| label | meaning |\n|---|---|\n{rows}")
}
