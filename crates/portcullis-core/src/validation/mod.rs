//! The rules for one object itself, independent of the rest of the cluster.
//!
//! A [`Rule`] is one row in the table of its family: an id with its page, the actions of its findings, and a [`RuleFn`]
//! over the view type of a kind. Most tests are one line: a walker from [`kinds::walk`](crate::kinds::walk) yields
//! values with their addresses, and a [validator](validators) returns what is wrong with a value. Every rule runs as a
//! check with the same id. Code that needs to know whether an object is usable at all (the view, `status`, `explain`)
//! asks the same rules, so that all of them agree with the checks: for Gateways, ListenerSets and IngressRoutes by
//! `first_error`, which stops at the first rule that [invalidates](Effect::Invalidates) the object, for listeners and
//! HTTPProxies by `errors`, which says which parts are invalid, and for routes of the Gateway API and BackendTLSPolicies by
//! [`checks::content`](crate::checks::content).

mod backend_tls_policy;
pub mod channel_fields;
mod error;
mod filter;
pub mod gateway;
mod gateway_class;
mod grpc_route;
mod host_claim;
pub mod http_proxy;
mod http_route;
mod ingress;
mod ingress_class;
pub mod ingress_route;
mod l4_route;
mod label_selector;
pub mod listener;
pub mod listener_set;
mod object;
pub mod object_reference;
mod reference_grant;
mod route;
mod route_rule;
mod rule;
mod tls_certificate_delegation;
pub mod validators;

pub use error::ObjectError;
pub use rule::{Effect, Rule, RuleFn};

use crate::finding::{Action, Actions};

/// The actions of a rule that the API server enforces and the design document (KEP-758) does not mention.
const BEYOND_KEP: Actions = Actions::new(Action::Deny, Action::Deny, Action::Off);

/// All rules, by family and, for large families, by topic.
pub const FAMILIES: &[&[Rule]] = &[
    backend_tls_policy::RULES,
    filter::RULES,
    filter::cors::RULES,
    filter::header::RULES,
    filter::path::RULES,
    gateway::RULES,
    gateway::address::RULES,
    gateway::allowed_listeners::RULES,
    gateway::frontend::RULES,
    gateway::infrastructure::RULES,
    gateway::routability::RULES,
    gateway_class::RULES,
    grpc_route::RULES,
    host_claim::RULES,
    http_proxy::RULES,
    http_route::RULES,
    http_route::path::RULES,
    http_route::redirect::RULES,
    http_route::shadowed::RULES,
    http_route::timeout::RULES,
    ingress::backend::RULES,
    ingress::host::RULES,
    ingress::metadata::RULES,
    ingress::path::RULES,
    ingress::status::RULES,
    ingress::tls::RULES,
    ingress_class::RULES,
    ingress_route::RULES,
    l4_route::RULES,
    listener::RULES,
    listener::allowed_routes::RULES,
    listener::hostname::RULES,
    listener::protocol::RULES,
    listener::tls::RULES,
    listener_set::RULES,
    object::RULES,
    reference_grant::RULES,
    route::RULES,
    route::backend::RULES,
    route::hostname::RULES,
    route::parent::RULES,
    route::rules::RULES,
    route_rule::RULES,
    tls_certificate_delegation::RULES,
];
