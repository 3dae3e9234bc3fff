//! A host that no change concerns is the same, whether its requests can be compared or not.

use portcullis_core::compare::{HostResult, Kept, Overall, Pairing, Side, compare};
use portcullis_core::config::Config;
use portcullis_core::explain::Snapshot;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::promise::{changed, seeds, world};
use super::{ENDPOINTS, EVERY, side};
use crate::explain::worlds::Objects;

/// The results with what is written, by which hosts are found that no change concerns, and the results without, of every host.
fn both<T>(before: &[Value], after: &[Value], use_it: impl FnOnce([&[HostResult]; 2]) -> T) -> T {
    let (before, after, config) = (Objects::whole(before), Objects::whole(after), Config::default());
    let written = [before.written(), after.written()];
    let compared = |before: &Snapshot<'_>, after: &Snapshot<'_>| {
        let sides = [(before, &written[0]), (after, &written[1])];
        let sides = sides.map(|(snapshot, written)| Side { snapshot, scope: &EVERY, written });
        let known = compare(sides[0], sides[1], Pairing::ByName, &ENDPOINTS, Kept::ALL);
        use_it([&known, &compare(side(before), side(after), Pairing::ByName, &ENDPOINTS, Kept::ALL)])
    };
    before.with_config(&config, |before| after.with_config(&config, |after| compared(before, after)))
}

/// The same objects, but for one with hosts, which another world has, or which is new or removed.
fn with_other(objects: &[Value], rng: &mut Rng) -> Vec<Value> {
    let has_hosts = |object: &&Value| object["kind"] == "Ingress" || object["kind"] == "HTTPRoute";
    let others = world(rng);
    let others: Vec<&Value> = others.iter().filter(has_hosts).collect();
    if others.is_empty() {
        return changed(objects, rng);
    }
    let other = rng.pick(&others);
    let is_it = |object: &&Value| {
        ["kind", "metadata"].iter().all(|field| match *field {
            "kind" => object["kind"] == other["kind"],
            _ => ["namespace", "name"].iter().all(|key| object["metadata"][key] == other["metadata"][key]),
        })
    };
    let mut all: Vec<Value> = objects.iter().filter(|object| !is_it(object)).cloned().collect();
    if all.len() == objects.len() || !rng.one_in(4) {
        all.push(other.clone());
    }
    all
}

#[test]
fn unchanged_hosts_have_no_difference() {
    let (mut unchanged, mut different) = (0, 0);
    for seed in seeds() {
        let mut rng = Rng::new(seed);
        let before = world(&mut rng);
        let after = if rng.one_in(3) { changed(&before, &mut rng) } else { with_other(&before, &mut rng) };
        both(&before, &after, |[known, all]| {
            for result in known.iter().filter(|result| result.is_unchanged) {
                let own = all.iter().find(|own| own.host == result.host).expect("the same hosts");
                let told = || format!("seed {seed}: {own:#?}\nbefore {before:#?}\nafter {after:#?}");
                assert!(!own.is_unchanged && own.overall() != Overall::Different, "{}", told());
                assert_eq!(own.same.count() == 0, result.same.count() == 0, "{}", told());
                unchanged += usize::from(before != after);
            }
            different += all.iter().filter(|own| own.overall() == Overall::Different).count();
        });
    }
    assert!(unchanged > 100 && different > 100, "{unchanged} hosts are unchanged, {different} are different");
}

/// An expression that is not evaluated makes a host unknown only if something has changed that may concern it.
#[test]
fn an_unchanged_expression_is_the_same() {
    let gateway = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": {"namespace": "web", "name": "g"},
        "spec": {"listeners": [{"name": "l", "port": 80, "protocol": "HTTP"}]}});
    let route = |name: &str, path: &str| {
        json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
            "metadata": {"namespace": "web", "name": name},
            "spec": {"parentRefs": [{"name": "g"}], "hostnames": [format!("{name}.com")], "rules": [
                {"matches": [{"path": {"type": "RegularExpression", "value": path}}], "backendRefs": [{"name": "s", "port": 80}]}]}})
    };
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "web", "name": "s"},
        "spec": {"ports": [{"port": 80}]}});
    let world =
        |expression: &str, path: &str| [gateway.clone(), service.clone(), route("a", expression), route("b", path)];
    let verdicts = |before: [Value; 4], after: [Value; 4]| {
        both(&before, &after, |[known, _]| {
            let of = |host: &str| known.iter().find(|result| result.host.to_string() == host).expect("a result");
            ["a.com", "b.com"].map(|host| of(host).overall())
        })
    };
    let ahead = "/(?=x).*";
    assert_eq!(verdicts(world(ahead, "/b"), world(ahead, "/c")), [Overall::Same, Overall::Different]);
    assert_eq!(verdicts(world(ahead, "/b"), world("/(?=y).*", "/b")), [Overall::Unknown, Overall::Same]);
    let mut other_port = world(ahead, "/b");
    other_port[1]["spec"]["ports"][0]["port"] = 81.into();
    assert_eq!(verdicts(world(ahead, "/b"), other_port), [Overall::Unknown, Overall::Different]);
    let mut of_b = world(ahead, "/b");
    of_b[3]["spec"]["rules"][0]["backendRefs"][0]["name"] = "t".into();
    let mut with_service = of_b.clone();
    with_service[1]["metadata"]["name"] = "t".into();
    assert_eq!(verdicts(of_b.clone(), with_service), [Overall::Unknown, Overall::Different], "s is removed");
    let mut without_gateway = of_b.clone();
    without_gateway[0]["spec"]["listeners"][0]["port"] = 81.into();
    assert_eq!(verdicts(of_b, without_gateway)[0], Overall::Unknown);
}
