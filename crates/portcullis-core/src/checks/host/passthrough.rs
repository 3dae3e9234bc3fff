//! Part of `host/order-takes-requests` and `host/wildcard-takes-host`: TLS connections that an annotation passes through to
//! one Service, before the controller looks at the hosts of Ingresses without such an annotation.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use hashbrown::HashSet;

use super::host_walk::walk;
use super::other_ingress::OtherIngresses;
use super::{Rival, own_mark, rival, their_mark};
use crate::checks::Context;
use crate::cluster::{IngressFacts, Reach, Relation};
use crate::field::At;
use crate::finding::{Finding, Findings};
use crate::kinds::ObjectRef;
use crate::matching::annotation_effect::{Effect, PASSTHROUGH_FIRST, with_effect};
use crate::matching::claimed_host::CONNECTIONS;
use crate::matching::controller::Controller;
use crate::matching::host::Form;
use crate::matching::{Claims, DataPlaneHints, Host, Mark};
use crate::routing::controllers::is_served_by;
use crate::routing::precedence;

/// An annotation that certainly passes the TLS connections of an Ingress through.
pub(super) struct Passthrough<'r> {
    claims: &'r Claims<'r>,
    key: &'r str,
    /// The hosts for which the Ingress has a path `/`, if the controller takes the Service of this path.
    roots: Option<HashSet<(Form, &'r str)>>,
}

impl<'r> Passthrough<'r> {
    /// The annotation of the Ingress with these `claims`; `None` if it has none, or if its controller may not read it or
    /// may look at other hosts first.
    pub fn of(claims: &'r Claims<'r>, cx: &Context<'_>) -> Option<Self> {
        let serves = |controller| is_served_by(controller, claims.ingress, cx.cluster);
        let (controller, key) = with_effect(Effect::Passthrough, claims.ingress).find_map(|(row, key, _)| {
            let mut first = PASSTHROUGH_FIRST.into_iter().filter(|controller| row.readers.contains(controller));
            Some((first.find(|controller| serves(*controller))?, key))
        })?;
        // `buildHostSSLPassthrough` in pkg/converters/ingress/annotations/host.go.
        let has_root = controller == Controller::HaproxyIngress;
        let roots = claims.routes.iter().filter(|route| route.path.as_ref().is_some_and(|path| path.text == "/"));
        let roots = has_root.then(|| roots.map(|route| route.host.parts()).collect());
        (own_mark(claims, cx) != Mark::AcmeSolver).then_some(Self { claims, key, roots })
    }

    /// Whether the connections to `host` certainly go to one Service. `has_root` says whether another Ingress has a path `/`
    /// for it.
    pub fn passes(&self, host: &Host<'_>, has_root: impl FnOnce() -> bool) -> bool {
        let has_service = self.roots.as_ref().is_none_or(|roots| roots.contains(&host.parts()) || has_root());
        *host != Host::Any && has_service
    }

    /// Whether connections to a host below `wildcard` go to the Service of the wildcard before `other` gets them.
    pub fn passes_before(&self, wildcard: &Host<'_>, other: &IngressFacts) -> bool {
        self.passes(wildcard, || false) && !DataPlaneHints::passes_tls(other.hints.as_deref())
    }

    /// Reports the hosts of which Ingresses in other namespaces lose all TLS connections, each with the oldest one.
    pub fn check(&self, cx: &Context<'_>, found: &mut Findings<'_>) {
        let (claims, mut others) = (self.claims, OtherIngresses::default());
        let hosts: Vec<_> = claims.first_by_host().iter().map(|position| &claims.routes[*position].host).collect();
        let mut losing: BTreeMap<usize, &IngressFacts> = BTreeMap::new();
        let reaches = hosts.iter().enumerate().map(|(index, host)| (index, Reach::Exactly(host)));
        walk(cx, reaches, |index, below| {
            let (host, other) = (hosts[index], others.of(below.facts));
            let facts = other.facts;
            let has_root = || other.routes_of(host).iter().any(|route| &*route.path == "/");
            let loses = self.passes(host, has_root)
                && other.nearest(claims, cx).relation == Relation::Same
                && their_mark(facts, cx) != Mark::AcmeSolver
                && rival(host, &facts.object_ref, facts.created, cx) == Some(Rival::Holder);
            let is_older = |known: &&IngressFacts| {
                let order = (facts.created, &facts.object_ref);
                precedence::compare(order, (known.created, &known.object_ref)).is_lt()
            };
            if loses && losing.get(&index).is_none_or(is_older) {
                losing.insert(index, facts);
            }
            ControlFlow::Continue(())
        });
        for (index, other) in losing {
            report(self.key, hosts[index], &other.object_ref, found);
        }
    }
}

/// Reports that an annotation passes the connections to `host` through, which `other` has, too.
pub(super) fn report<'f>(
    key: &str,
    host: &Host<'_>,
    other: &ObjectRef,
    found: &'f mut Findings<'_>,
) -> &'f mut Finding {
    let (at, host) = (At::field("metadata.annotations").key(key), host.to_string());
    let template = "every TLS connection to {} goes to one Service, also for {other}: use a host of your own";
    found.duplicate(at, &host, template).args([&host]).other(other).claim(&host, Some(CONNECTIONS))
}
