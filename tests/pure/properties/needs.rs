//! Compares the kinds that checks look up with the kinds that they declare, from which watches, RBAC and readiness
//! follow.

use std::collections::BTreeMap;

use portcullis_core::checks::{Check, Context, Input, ObjectParts, Operation, Part, ReviewSubjects, registry};
use portcullis_core::cluster::hosts::HOST_HOLDERS;
use portcullis_core::cluster::{Cluster, DataPlanes, Overlay, Ownership, Subject, Trace};
use portcullis_core::config::{Config, Spanned, Unlisted};
use portcullis_core::finding::Findings;
use portcullis_core::kinds::{DecodeError, Kind, KindSet, Object, Partial, decode};
use portcullis_core::matching::expressions::Expressions;
use portcullis_core::routing::delegation::NeighborVerdicts;
use portcullis_core::routing::host_holders::SharedHolders;
use portcullis_testing::config::plan;
use portcullis_testing::page::examples;
use portcullis_testing::pages::{self, cluster, manifests, today};
use portcullis_testing::rng::Rng;

use super::random_ingress::{ALL_DENY, CLUSTER, ingress};

/// The kinds that `check` looks up when it runs alone.
fn looked_up(
    check: &Check,
    object: &Object<'_>,
    old: Option<&Object<'_>>,
    config: &Config,
    cluster: &Cluster,
) -> KindSet {
    let this = object.object_ref();
    let trace = Trace::default();
    let overlay = Overlay::new(cluster, &this).traced(&trace);
    let ownership = Ownership::new(&config.host_ownership).expect("the entries were read before");
    let written = config.checks.get(&Spanned::without_position(check.id.to_owned()));
    let options = written.map(|setting| setting.options.clone()).unwrap_or_default();
    let operation = if old.is_some() { Operation::Update } else { Operation::Create };
    let (neighbors, planes) = (NeighborVerdicts::new(), DataPlanes::new(&config.data_planes));
    let (expressions, holders) = (Expressions::default(), SharedHolders::default());
    let (cluster, options) = (&overlay, &options);
    let subject = Subject { kind: this.kind, class: None, namespace: &this.namespace, user: None };
    let context = Context {
        operation,
        this: &this,
        created: None,
        subject,
        cluster,
        options,
        ownership: &ownership,
        data_planes: &planes,
        config,
        now: today(),
        part: &Part::default(),
        neighbors: &neighbors,
        holders: &holders,
        expressions: &expressions,
        old,
    };
    run(check, object, &context);
    trace.dependencies.take()
}

fn run(check: &Check, object: &Object<'_>, context: &Context<'_>) {
    let unreadable = Partial { object: None, decode_errors: vec![DecodeError::default()] };
    let object_parts = ObjectParts::of(object);
    let input = match check.run.is_of_unreadable(context.this.kind) {
        true => Input::Unreadable(&unreadable),
        false => Input::Object(ReviewSubjects::of(&object_parts, context.namespace(), context.cluster)),
    };
    check.run.check(&input, context, &mut Findings::of(check.id, &mut Vec::new()));
}

/// The kinds that `check` looks up in each example on its page, with the configuration.
fn looked_up_by_page(check: &Check) -> Vec<(KindSet, Config)> {
    let mut all = Vec::new();
    for example in examples(check.page) {
        let (config, documents) = (pages::config(check, &example), manifests(&example.yaml));
        let (reviewed, rest) = documents.split_first().expect("an example begins with the object under review");
        let (cluster, old) = (cluster(rest), example.old.as_deref().map(manifests));
        let cluster = cluster.read();
        let old = old.as_ref().map(|old| old[0].object().expect("an old object can be read"));
        if let Ok(object) = reviewed.object() {
            all.push((looked_up(check, &object, old.as_ref(), &config, &cluster), config));
        }
    }
    all
}

/// The kinds that a check may look up: those that it declares, Namespaces if the configuration selects by their
/// labels, HostClaims unless they are ignored, and the kinds that hold hosts if the first namespace owns a host.
fn allowed(check: &Check, config: &Config) -> KindSet {
    let declared = KindSet::of(check.needs);
    let plan = portcullis_core::checks::Plan::new(config.clone()).expect("the configuration was read before");
    let shared = [Kind::Namespace, Kind::HostClaim].into_iter().filter(|kind| plan.needs().contains(*kind));
    let declared = shared.fold(declared, |all, kind| all.union(KindSet::of(&[kind])));
    match config.host_ownership.unlisted {
        Unlisted::FirstNamespace => declared.union(HOST_HOLDERS),
        Unlisted::Allow | Unlisted::Deny => declared,
    }
}

#[test]
fn check_looks_up_only_declared_kinds() {
    for check in registry::all() {
        for (looked_up, config) in looked_up_by_page(check) {
            let beyond = looked_up.without(allowed(check, &config));
            assert_eq!(beyond, KindSet::EMPTY, "{} looks up more on its page", check.id);
        }
    }
    let plan = plan(ALL_DENY);
    let rest = cluster(&manifests(CLUSTER));
    let rest = rest.read();
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let (new, old) = (ingress(&mut rng).to_string(), ingress(&mut rng).to_string());
        let read = |json| decode(Kind::Ingress, json).expect("a random Ingress has the shape of one");
        let (new, old) = (read(&new), read(&old));
        for check in registry::all() {
            let looked_up = looked_up(check, &new, Some(&old), plan.config(), &rest);
            assert_eq!(looked_up.without(KindSet::of(check.needs)), KindSet::EMPTY, "{}, seed {seed}", check.id);
        }
    }
}

#[test]
fn check_declares_only_looked_up_kinds() {
    let unused = registry::all().filter_map(|check| {
        let looked_up =
            looked_up_by_page(check).into_iter().fold(KindSet::EMPTY, |all, (looked_up, _)| all.union(looked_up));
        let unused: Vec<_> = KindSet::of(check.needs).without(looked_up).iter().collect();
        (!unused.is_empty()).then_some((check.id, unused))
    });
    let unused: Vec<_> = unused.collect();
    assert_eq!(unused, [], "these declare more than they look up for any example on their page");
}

#[test]
fn plan_needs_the_kinds_of_its_parts() {
    let names = |set: KindSet| set.iter().map(|kind| kind.api().kind).collect::<Vec<_>>();
    let few = "'*': Off, ingress/service-not-found: Warn, host/path-conflict: Deny, ingress/snippet: Deny";
    let all = KindSet::of(&[Kind::Ingress, Kind::IngressClass, Kind::Service, Kind::GatewayClass]);
    let mut cases = BTreeMap::new();
    cases.insert(format!("checks: {{{few}}}\n"), all);
    let with_labels = all.union(KindSet::of(&[Kind::Namespace]));
    for labels in [
        "exemptions: [{checks: ['*'], match: {namespaces: {labels: {a: b}}}, reason: any}]\n",
        "hostOwnership: {hosts: [{host: a.com, namespaces: {labels: {a: b}}}]}\n",
        "hostOwnership: {hosts: [{host: '{namespace.labels.a}.com', namespaces: {names: [web]}}]}\n",
    ] {
        cases.insert(format!("checks: {{{few}}}\n{labels}"), with_labels);
    }
    for labels in [
        "ingress/no-rules: {action: Deny, match: {namespaces: {labels: {a: b}}}}",
        "ingress/class-not-allowed: {action: Deny, classes: [{class: a, namespaces: {labels: {a: b}}}]}",
    ] {
        cases.insert(format!("checks: {{{few}, {labels}}}\n"), with_labels);
    }
    let by_name = "hostOwnership: {hosts: [{host: '{namespace.name}.com', namespaces: {names: ['*']}}]}\n";
    cases.insert(format!("checks: {{{few}}}\n{by_name}"), all);
    let routes = KindSet::of(&[Kind::IngressClass, Kind::GatewayClass, Kind::Gateway, Kind::ListenerSet]);
    cases.insert("checks: {'*': Off, route/parent-not-found: Warn}\n".to_owned(), routes);
    cases.insert("checks: {'*': Off}\n".to_owned(), KindSet::of(&[Kind::IngressClass, Kind::GatewayClass]));
    let first = "hostOwnership: {unlisted: FirstNamespace}\n";
    cases.insert(
        format!(
            "checks: {{{few}}}
{first}"
        ),
        all.union(HOST_HOLDERS),
    );
    let roots = KindSet::of(&[Kind::IngressRoute, Kind::HttpProxy]);
    let not_owned = routes.union(roots).union(KindSet::of(&[Kind::Namespace]));
    let with_claims = all.union(KindSet::of(&[Kind::HostClaim]));
    cases.insert(format!("checks: {{{few}}}\nhostOwnership: {{claims: Optional}}\n"), with_claims);
    let below = "hostOwnership: {hosts: [{host: '*.a.com', claims: Required}]}\n";
    cases.insert(format!("checks: {{{few}}}\n{below}"), with_claims);
    cases.insert("checks: {'*': Off, host/not-owned: Deny}\n".to_owned(), not_owned);
    cases.insert(format!("checks: {{'*': Off, host/not-owned: Deny}}\n{first}"), not_owned.union(HOST_HOLDERS));
    let no_defaults = "defaults: {gateway/default-class: {enabled: false}, ingress/default-class: {enabled: false}}\n";
    cases.insert(format!("checks: {{'*': Off}}\n{no_defaults}"), KindSet::EMPTY);
    let one = format!("checks: {{'*': Off, host/path-conflict: Deny}}\n{no_defaults}");
    cases.insert(one, KindSet::of(&[Kind::Ingress, Kind::IngressClass]));
    for (config, expected) in cases {
        assert_eq!(names(plan(&config).needs()), names(expected), "{config}");
    }
}
