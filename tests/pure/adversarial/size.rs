//! An object with too many JSON maps is not decoded, and denied like any object that cannot be decoded. It is not an error, which
//! `failurePolicy: Ignore` would turn into an admission.

use portcullis_core::config::Config;
use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use super::subject::Subject;
use super::world::{self, World};

/// More maps than an Ingress may have.
const MANY: usize = 400_001;

fn verdict(config: &str, reviewed: Value, old: Option<&Value>) -> (bool, String) {
    let shop = super::ingress(world::OTHER, "shop", "nginx", Some("shop.example.com"), &["/cart"]);
    let world = World { name: "", stored: vec![(Kind::Ingress, shop)], kind: Kind::Ingress, reviewed };
    let config = Config::parse(&portcullis_testing::config::text(config)).expect("the configuration is sound");
    let mut subject = Subject::with(&world, config);
    if let Some(old) = old {
        subject.update(old);
    }
    subject.verdict()
}

/// An Ingress with the path of another namespace, and this rule many times.
fn taker(rule: &Value, times: usize) -> Value {
    let taken = json!({"host": "shop.example.com", "http": {"paths": [world::ingress_path("/cart", "Prefix")]}});
    let mut rules = vec![rule.clone(); times];
    rules.push(taken);
    world::ingress(world::TENANT, "x", "nginx", json!(rules))
}

#[test]
fn object_with_too_many_maps_is_denied() {
    let empty = taker(&json!({}), MANY);
    // A path may be as long as the object.
    let text =
        taker(&json!({"http": {"paths": [world::ingress_path(&format!("/{}", ",{".repeat(MANY)), "Exact")]}}), 1);
    for reviewed in [&empty, &text] {
        let (is_allowed, checks) = verdict("", reviewed.clone(), None);
        assert!(!is_allowed && checks.contains("object/unreadable=Deny"), "{checks}");
        let (is_allowed, checks) = verdict("maxAction: Warn\n", reviewed.clone(), None);
        assert!(is_allowed && checks.contains("object/unreadable=Warn"), "{checks}");
    }
    let mut finalized = empty.clone();
    finalized["metadata"]["finalizers"] = json!(["example.com/wait"]);
    let (is_allowed, checks) = verdict("", empty.clone(), Some(&finalized));
    assert!(is_allowed, "the update changes nothing that is checked: {checks}");
    let small = taker(&json!({}), 1);
    let (is_allowed, checks) = verdict("", empty, Some(&small));
    assert!(!is_allowed && checks.contains("object/unreadable=Deny"), "{checks}");
}
