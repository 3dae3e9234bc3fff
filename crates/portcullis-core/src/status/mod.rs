//! The status that each object should have: pure values, computed from the object, what is known of the cluster, and
//! the configuration. The writer adds times and merges them into what is stored; `portcullis status` prints them.
//!
//! [`evaluate`] is the entry: one function for each kind decides its conditions from the same procedures of
//! [`routing`](crate::routing) that the checks use. [`StatusState`] keeps the values of many objects current, and
//! [`merge`] brings a value into a stored status.

mod acceptance;
mod addresses;
mod attached;
mod backend_tls_policy;
pub mod comparison;
mod condition;
mod context;
mod desired;
pub mod finalizer;
mod gateway;
mod gateway_class;
mod host_claim;
mod host_request;
mod ingress;
mod ingress_route;
mod listener;
mod listener_set;
pub mod merge;
mod parameters;
mod projection;
pub mod published;
mod resolved_refs;
pub mod responsibility;
mod route;
mod snapshot;
mod state;
mod transition;

pub use attached::{AttachedRoutes, Section};
pub use condition::{Condition, ConditionStatus, Conditions};
pub use context::{Perspective, StatusContext};
pub use desired::{DesiredStatus, Entries, ListenerEntry, OwnEntries, ParentEntry};
pub use projection::StatusSchema;
pub use snapshot::of_all;
pub use state::{Evaluated, StatusState};
pub use transition::{Transition, bad_transitions};

use crate::kinds::{Kind, KindSet, Object};

/// The field manager under which Portcullis writes.
pub const FIELD_MANAGER: &str = "portcullis";

/// The kinds of which Portcullis may write the status.
pub const KINDS: KindSet = KindSet::of(&[
    Kind::Ingress,
    Kind::GatewayClass,
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpRoute,
    Kind::GrpcRoute,
    Kind::TlsRoute,
    Kind::TcpRoute,
    Kind::UdpRoute,
    Kind::BackendTlsPolicy,
    Kind::IngressRoute,
    Kind::HostClaim,
    Kind::HostRequest,
]);

/// The result for one object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// Its status; `None` if Portcullis is not responsible for it.
    pub desired: Option<DesiredStatus>,
    /// The listeners that accept it, if it is a route.
    pub attached: Vec<Section>,
    /// Whether it must have the [finalizer](finalizer::FINALIZER) of a GatewayClass; `None` to leave its finalizers as they are.
    pub finalizer: Option<bool>,
}

impl From<Option<DesiredStatus>> for Evaluation {
    fn from(desired: Option<DesiredStatus>) -> Self {
        Self { desired, ..Self::default() }
    }
}

/// Computes the status of `object`.
pub fn evaluate(object: &Object<'_>, context: &StatusContext<'_>) -> Evaluation {
    match object {
        Object::GatewayClass(class) => {
            Evaluation { finalizer: finalizer::of(class, context), ..gateway_class::of(class, context).into() }
        }
        Object::Gateway(gateway) => gateway::of(gateway, context).into(),
        Object::ListenerSet(set) => listener_set::of(set, context).into(),
        Object::HostClaim(claim) => Some(host_claim::of(claim, context)).into(),
        Object::HostRequest(request) => Some(host_request::of(request, context)).into(),
        Object::BackendTlsPolicy(policy) => Some(backend_tls_policy::of(object, policy, context)).into(),
        _ => match object.route() {
            Some(route) => route::of(object, route, context),
            None => Evaluation::default(),
        },
    }
}
