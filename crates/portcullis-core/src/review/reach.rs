//! Whether a Gateway would pass requests on to a hypothetical route.

use super::hypothetical::{HypotheticalKind, HypotheticalObject};
use crate::cluster::{Cluster, Event, Facts, Lookup, Overlay, SyncState};
use crate::config::Config;
use crate::explain::{Request, Scope, Snapshot, Stored};
use crate::kinds::{Kind, KindSet, ObjectRef, decode};
use crate::routing::{Attachment, NotAllowedReason};

/// Whether requests would reach a route at its Gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// A listener of the Gateway accepts the route, and the request reaches it.
    Accepted(ObjectRef),
    /// The request would not reach the route, for these reasons.
    Unreached(Vec<String>),
    /// It is not known, because objects could not be read.
    Unknown,
}

/// The kinds that decide what reaches a route at a Gateway.
pub const KINDS: KindSet = KindSet::of(&[
    Kind::GatewayClass,
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::Namespace,
    Kind::ReferenceGrant,
    Kind::Service,
]);

impl HypotheticalObject {
    /// Whether `request` would reach the route at its Gateway, if no other route existed; `None` for an Ingress. `objects` are
    /// those of [`KINDS`] in `cluster`.
    pub fn reach(
        &self,
        objects: Vec<Stored<'_>>,
        cluster: &Cluster,
        config: &Config,
        request: &Request,
    ) -> Option<Reach> {
        let HypotheticalKind::HttpRoute(gateway) = &self.kind else { return None };
        let (this, json) = (self.object_ref(), self.json());
        let mut objects: Vec<Stored<'_>> = objects;
        objects.extend(decode(this.kind, &json).ok().map(|object| Stored { object_ref: this.clone(), object }));
        let alone = view(&objects, cluster);
        let scope = Scope { class: None, gateway: Some(gateway.clone()) };
        Some(match attachment(&this, gateway, &alone) {
            None => Reach::Unknown,
            Some(Attachment::NoParent) => Reach::Unreached(vec![format!("{gateway} not found")]),
            Some(_) => {
                let answer = Snapshot::new(&objects, &alone, config).ask(request, &scope);
                match answer.winner {
                    Some(_) => Reach::Accepted(gateway.clone()),
                    None => Reach::Unreached(answer.losers.into_iter().map(|loser| loser.reason).collect()),
                }
            }
        })
    }
}

/// A view of these objects only, in which as much is known as in `cluster`.
fn view(objects: &[Stored<'_>], cluster: &Cluster) -> Cluster {
    let mut view = Cluster::with(SyncState::Complete);
    objects.iter().for_each(|stored| view.apply(Event::Apply(Facts::of(&stored.object))));
    KINDS.iter().for_each(|kind| view.apply(Event::SyncState(kind, cluster.knowledge(kind))));
    view
}

/// How the route is attached; `None` if that is not known.
fn attachment<'c>(this: &ObjectRef, gateway: &'c ObjectRef, view: &'c Cluster) -> Option<Attachment<'c>> {
    let overlay = Overlay::new(view, gateway);
    let Lookup::Found(route) = overlay.route(this) else { return None };
    let attachment = Attachment::of(route, route.parents.first()?, &overlay);
    let is_known = attachment.refusal() != Some(NotAllowedReason::Unknown);
    (is_known && !matches!(attachment, Attachment::Unknown)).then_some(attachment)
}
