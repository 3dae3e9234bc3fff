//! How much a check looks up while the view is held once, in the adversarial worlds: no more than for 1,000 claims. Look-ups are counted
//! instead of time, so that the test does not depend on the machine.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::checks::{Operation, Write};
use portcullis_core::cluster::{Cluster, Event, Overlay, SyncState, View};
use portcullis_core::kinds::{ObjectRef, decode};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;

use crate::adversarial::world::{self, World};

/// The maximum number of claims that a check may look at while the view is held once.
pub const MAX_CLAIMS: usize = 1_000;

/// Every check that can deny denies, also those that are off in every profile.
const EVERY_CHECK: &str = "
hostOwnership: {unlisted: FirstNamespace}
checks: {'*': Deny, host/not-unique: Deny, ingress/https-missing: Deny, ingress/hosts-too-many: {action: Deny, maxHosts: 1}}
";

/// Checks that need more than one look-up for a claim, the number, and what is looked up.
const OF_A_CLAIM: &[(&str, usize, &str)] = &[
    ("host/cross-kind-conflict", 16, "each kind that can have the host, and its parents, then its holder"),
    (
        "host/listener-takes-host",
        11,
        "the listeners of each protocol on the port, those with a wider host, then its holder",
    ),
    ("host/not-owned", 9, "each kind that can have the host"),
    (
        "host/path-conflict",
        11,
        "the path in the class of the Ingress and in classes of the same controller, then its holder",
    ),
    ("host/route-conflict", ROUTE, PARENTS),
    ("host/shared-across-namespaces", ROUTE, PARENTS),
    ("host/tls-route-conflict", ROUTE, PARENTS),
    ("host/http-grpc-clash", ROUTE, PARENTS),
    ("host/route-not-owner", 4, "the routes of each kind"),
    ("l4-route/listener-shared", ROUTE, PARENTS),
    ("host/wildcard-takes-host", 10, "each kind that can have a host below the wildcard"),
];

/// A reference to a parent may be to the whole object or to a section of it, and there are up to 32 of them.
const ROUTE: usize = 64;
const PARENTS: &str = "the host or match at each parent";

/// Checks that look at the whole object while the view is held once, and why the work is bounded nevertheless.
const WHOLE_OBJECT: &[(&str, &str)] = &[
    ("http-proxy/include-too-many-routes", GRAPH),
    ("ingress-route/delegation-outside-prefix", GRAPH),
    ("ingress-route/delegation-too-deep", GRAPH),
    ("ingress-route/match-shadowed", GRAPH),
    ("ingress-route/path-outside-prefix", GRAPH),
    ("ingress-route/strategy-conflict", SERVICES),
    ("ingress/service-port-not-found", SERVICES),
    ("ingress/service-port-protocol-mismatch", SERVICES),
];
const GRAPH: &str = "the objects connected by delegations are walked as a whole, each once";
const SERVICES: &str = "one look-up by name for each of at most 20,000 backends";

/// A view for which a writer always waits, so that it is released between two checks. It records the largest number of look-ups of each
/// check.
struct MeasuredView<'v> {
    view: &'v Overlay<'v>,
    most: RefCell<BTreeMap<&'static str, usize>>,
}

impl View for MeasuredView<'_> {
    fn look(&self, ask: &mut dyn FnMut(&Overlay<'_>)) {
        self.view.look(ask);
    }

    fn is_wanted(&self) -> bool {
        true
    }

    fn looked_up(&self, check: &'static str, lookups: usize) {
        let mut most = self.most.borrow_mut();
        let of_check = most.entry(check).or_default();
        *of_check = lookups.max(*of_check);
    }
}

/// The largest number of look-ups of each check for the creation of the reviewed object.
pub fn most_lookups(world: &World, config: &str) -> BTreeMap<&'static str, usize> {
    let mut cluster = Cluster::with(SyncState::Complete);
    world.facts().into_iter().for_each(|facts| cluster.apply(Event::Apply(facts)));
    let json = world.reviewed.to_string();
    let object = decode(world.kind, &json).expect("the objects of a world can be read");
    let name = world.reviewed["metadata"]["name"].as_str().expect("a name");
    let this = ObjectRef::new(world.kind, world::TENANT, name);
    let overlay = Overlay::new(&cluster, &this);
    let view = MeasuredView { view: &overlay, most: RefCell::default() };
    let write = Write { operation: Operation::Create, this: &this, user: None, now: today() };
    plan(config).check(&object, || None, &view, &write);
    view.most.into_inner()
}

#[test]
fn no_check_looks_up_more_than_a_thousand_claims_at_once() {
    let (mut wrong, mut whole, mut weighed) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for world in world::all() {
        for (check, lookups) in most_lookups(&world, EVERY_CHECK) {
            let of_claim = OF_A_CLAIM.iter().find(|(id, ..)| *id == check).map_or(1, |(_, number, _)| *number);
            if lookups > MAX_CLAIMS * of_claim {
                whole.insert(check);
                if !WHOLE_OBJECT.iter().any(|(id, _)| *id == check) {
                    wrong.push(format!("{}: {check}: {lookups} look-ups", world.name));
                }
            }
            if lookups > MAX_CLAIMS {
                weighed.insert(check);
            }
        }
    }
    assert_eq!(wrong, [""; 0], "let the check take parts of the object, or say here why it need not");
    let unused = WHOLE_OBJECT.iter().map(|(id, _)| *id).filter(|id| !whole.contains(id));
    let unused = unused.chain(OF_A_CLAIM.iter().map(|(id, ..)| *id).filter(|id| !weighed.contains(id)));
    assert_eq!(unused.collect::<Vec<_>>(), [""; 0], "these need no exception");
}
