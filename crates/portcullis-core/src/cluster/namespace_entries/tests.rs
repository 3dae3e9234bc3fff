//! The limit keeps the oldest objects of a namespace, whatever the order of events.

use super::*;
use crate::cluster::{Lookup, Overlay, SyncState};
use crate::kinds::decode;
use crate::routing::kind_lookup;

const LIMIT: usize = 100;

fn limited() -> Cluster {
    let mut cluster = Cluster::with(SyncState::Complete);
    cluster.entries.limit = LIMIT;
    cluster
}

fn facts(kind: Kind, json: &str) -> Facts {
    Facts::of(&decode(kind, json).expect("an object"))
}

fn object(kind: Kind, name: &str, year: usize, entries: usize) -> Facts {
    facts(kind, &json(kind, name, year, entries))
}

/// An object of `kind`, created in `year`, with about this many paths or matches.
fn json(kind: Kind, name: &str, year: usize, entries: usize) -> String {
    let list = |entry: &dyn Fn(usize) -> String| (0..entries).map(entry).collect::<Vec<_>>().join(",");
    let spec = match kind {
        Kind::Ingress => {
            let path = |path| format!(r#"{{"path": "/{path}", "pathType": "Exact", "backend": {{}}}}"#);
            format!(r#""rules": [{{"host": "shop.example.com", "http": {{"paths": [{}]}}}}]"#, list(&path))
        }
        Kind::HttpRoute => {
            let parent = |name| format!(r#"{{"name": "edge-{name}"}}"#);
            format!(r#""hostnames": ["shop.example.com"], "parentRefs": [{}]"#, list(&parent))
        }
        _ => {
            let route = |path| format!(r#"{{"match": "/{path}", "services": [{{"name": "a", "port": 80}}]}}"#);
            format!(r#""virtualhost": {{"fqdn": "shop.example.com"}}, "routes": [{}]"#, list(&route))
        }
    };
    format!(
        r#"{{"metadata": {{"namespace": "web", "name": "{name}", "creationTimestamp": "{year}-01-01T00:00:00Z"}},
            "spec": {{{spec}}}}}"#
    )
}

const KINDS: [Kind; 4] = [Kind::Ingress, Kind::HttpRoute, Kind::IngressRoute, Kind::HttpProxy];

/// The objects of which the view knows the content.
fn kept(cluster: &Cluster, objects: &[Facts]) -> Vec<usize> {
    (0..objects.len()).filter(|number| cluster.holds(&objects[*number])).collect()
}

fn cut_objects(cluster: &Cluster) -> usize {
    KINDS.iter().map(|kind| cluster.cut_objects(*kind)).sum()
}

#[test]
fn the_oldest_objects_are_kept_in_any_order_of_events() {
    let mut seed = 7_u64;
    let mut roll = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..40 {
        let mut shape = |number: usize| (KINDS[roll(4)], format!("o{number}"), 2000 + roll(20), roll(40));
        let shapes: Vec<_> = (0..20).map(&mut shape).collect();
        let new = |(kind, name, year, entries): &(Kind, String, usize, usize)| object(*kind, name, *year, *entries);
        let objects: Vec<Facts> = shapes.iter().map(new).collect();
        let mut by_age: Vec<usize> = (0..20).collect();
        by_age.sort_by_key(|number| (shapes[*number].2, objects[*number].object_ref()));
        let mut cluster = limited();
        let mut stored: Vec<bool> = vec![false; 20];
        for _ in 0..100 {
            let number = roll(20);
            stored[number] = roll(3) > 0;
            cluster.apply(match stored[number] {
                true => Event::Apply(objects[number].clone()),
                false => Event::Delete(objects[number].object_ref()),
            });
            assert!(cluster.entries.totals.get("web").copied().unwrap_or_default() == total(&objects, &stored));
        }
        // What fits again is kept when it is seen again, in any order.
        (0..20)
            .filter(|number| stored[*number])
            .for_each(|number| cluster.apply(Event::Apply(objects[number].clone())));
        let mut sum = 0;
        let mut expected: Vec<usize> = Vec::new();
        for number in by_age.into_iter().filter(|number| stored[*number]) {
            sum += entries(&objects[number]);
            expected.extend((sum <= LIMIT || entries(&objects[number]) == 0).then_some(number));
        }
        expected.sort_unstable();
        assert_eq!(kept(&cluster, &objects), expected);
        let count = stored.iter().filter(|stored| **stored).count();
        assert_eq!(cut_objects(&cluster), count - expected.len());
        assert_eq!(KINDS.iter().map(|kind| cluster.count(*kind)).sum::<usize>(), count, "all are known to exist");
        assert_eq!(KINDS.iter().map(|kind| cluster.object_refs(*kind).len()).sum::<usize>(), count);
        objects.iter().for_each(|facts| cluster.apply(Event::Delete(facts.object_ref())));
        assert!(cluster.entries.totals.is_empty() && cluster.entries.orders.is_empty());
        assert_eq!(cut_objects(&cluster), 0);
    }
}

fn total(objects: &[Facts], stored: &[bool]) -> usize {
    objects.iter().zip(stored).filter(|(_, stored)| **stored).map(|(facts, _)| entries(facts)).sum()
}

#[test]
fn an_object_that_is_cut_exists_but_its_content_is_unknown() {
    for kind in KINDS {
        let mut cluster = limited();
        cluster.track_changes();
        let (old, new) = (object(kind, "old", 2001, 60), object(kind, "new", 2002, 60));
        [&new, &old].into_iter().for_each(|facts| cluster.apply(Event::Apply(facts.clone())));
        assert_eq!((cluster.count(kind), cluster.cut_objects(kind)), (2, 1), "{kind}");
        assert!(cluster.holds(&old) && cluster.is_cut(&new.object_ref()) && !cluster.holds(&new));
        let [of_old, of_new] = [entries(&old), entries(&new)];
        assert_eq!(cluster.namespace_entries("web"), of_old + of_new);
        assert_eq!(cluster.entries_of(&new.object_ref()), of_new);
        let this = ObjectRef::new(kind, "web", "other");
        let overlay = Overlay::new(&cluster, &this);
        assert!(!overlay.is_complete(kind) && overlay.has_cut_in("web") && !overlay.has_cut_in("shop"));
        let has_cut_before = |namespace: &str, year: Option<&str>| {
            let time = |year: &str| format!("{year}-01-01T00:00:00Z").parse().expect("a time");
            overlay.has_cut_before(namespace, year.map(time))
        };
        let times = [Some("2001"), Some("2002"), Some("2003"), None];
        assert_eq!(times.map(|time| has_cut_before("web", time)), [false, true, true, true], "{kind}");
        assert!(!has_cut_before("shop", None));
        let is_unknown = |object_ref: &ObjectRef| match kind {
            Kind::Ingress => true,
            Kind::HttpRoute => matches!(overlay.route(object_ref), Lookup::Unknown),
            _ => matches!(overlay.delegation(object_ref), Lookup::Unknown),
        };
        assert!(is_unknown(&new.object_ref()), "{kind}");
        assert!(cluster.take_changes().everything, "that all objects are known was read by any");
        // It is kept as soon as there is room and an event contains it.
        cluster.apply(Event::Delete(old.object_ref()));
        assert!(cluster.is_cut(&new.object_ref()));
        cluster.apply(Event::Apply(new.clone()));
        assert!(cluster.holds(&new) && cluster.cut_objects(kind) == 0);
    }
}

#[test]
fn a_route_that_is_cut_may_decide_which_kind_a_listener_accepts() {
    let gateway = r#"{"metadata": {"namespace": "edge", "name": "edge-0"}, "spec": {"gatewayClassName": "public", "listeners":
        [{"name": "http", "port": 80, "protocol": "HTTP", "allowedRoutes": {"namespaces": {"from": "All"}}}]}}"#;
    let edge = |text: String| text.replace(r#""name": "edge-0""#, r#""name": "edge-0", "namespace": "edge""#);
    for (cut_in, is_uncertain) in [(None, false), (Some(2002), true), (Some(2004), false)] {
        let mut cluster = limited();
        cluster.apply(Event::Apply(facts(Kind::Gateway, gateway)));
        let grpc = edge(json(Kind::HttpRoute, "calls", 2003, 1).replace("web", "shop"));
        cluster.apply(Event::Apply(facts(Kind::GrpcRoute, &grpc)));
        if let Some(year) = cut_in {
            let elsewhere = json(Kind::HttpRoute, "old", 2001, 60).replace("shop.example.com", "old.example.com");
            cluster.apply(Event::Apply(facts(Kind::HttpRoute, &elsewhere)));
            cluster.apply(Event::Apply(object(Kind::HttpRoute, "cut", year, 60)));
            assert_eq!(cluster.cut_objects(Kind::HttpRoute), 1);
        }
        let new = edge(json(Kind::HttpRoute, "new", 2005, 1).replace("web", "api"));
        let Facts::GatewayRoute(new) = facts(Kind::HttpRoute, &new) else { unreachable!("it is a route") };
        let this = new.object_ref.clone();
        let clashes = kind_lookup::of_kinds(&new, &Overlay::new(&cluster, &this), |_, _| true);
        let found: Vec<_> = clashes.iter().map(|clash| (&*clash.other.object_ref.name, clash.is_uncertain)).collect();
        assert_eq!(found, [("calls", is_uncertain)], "{cut_in:?}");
    }
}

#[test]
fn omitted_root_and_its_targets_get_no_status() {
    let kind = Kind::IngressRoute;
    let route = |path: &str, rest: &str| format!(r#"{{"match": "{path}", {rest}}}"#);
    let services = r#""services": [{"name": "a", "port": 80}]"#;
    let vertex = format!(
        r#"{{"metadata": {{"namespace": "shop", "name": "vertex"}}, "spec": {{"routes": [{}]}}}}"#,
        route("/v", services)
    );
    let delegation = route("/v", r#""delegate": {"name": "vertex", "namespace": "shop"}"#);
    let new = json(kind, "new", 2002, 60).replace(r#""routes": ["#, &format!(r#""routes": [{delegation},"#));
    let new = new.replace("shop.example.com", "new.example.com");
    let texts = [json(kind, "old", 2001, 60), new, vertex];
    let objects = texts.each_ref().map(|text| facts(kind, text));
    let mut cluster = limited();
    // No Service is known, so that none is missing.
    cluster.apply(Event::SyncState(Kind::Service, SyncState::Partial));
    let mut statuses = |events: Vec<Event>| {
        events.into_iter().for_each(|event| cluster.apply(event));
        cluster.delegations.touch_everything();
        let subjects = objects.iter().zip(&texts).map(|(facts, text)| (facts.object_ref(), text.as_str().into()));
        let all = crate::status::of_all(subjects, &mut cluster, &crate::config::Config::default());
        let state = |facts: &Facts| {
            let status = all.get(&facts.object_ref())?;
            Some(status.fields["currentStatus"].as_str().expect("a text").to_owned())
        };
        objects.each_ref().map(state)
    };
    let valid = || Some("valid".to_owned());
    assert_eq!(statuses(objects.iter().cloned().map(Event::Apply).collect()), [valid(), None, None]);
    let room = vec![Event::Delete(objects[0].object_ref()), Event::Apply(objects[1].clone())];
    assert_eq!(statuses(room)[1..], [valid(), valid()]);
}
