//! The kinds that Portcullis reads: one lenient view type per kind, which is decoded from JSON and borrows its text.
//!
//! Decoding does not validate: absent fields are `None` or empty, and unknown fields are skipped. Only a value of the
//! wrong type (such as a number instead of text) cannot be decoded, which a check then reports.
//!
//! Generated types would reject what they do not know and copy every string. The view types have the fields that some check reads.
//! `tests/fields.tsv`, `tests/fields-gateway.tsv` and `tests/fields-delegation.tsv` list every field for text in the schemas of the API,
//! so a new field fails a test until a table says which checks read it, or why none does. Each check that a table names has an example on
//! its page whose findings depend on the field.

mod alike;
pub mod annotation;
pub mod annotation_value;
pub mod backend_tls_policy;
mod certificate;
pub mod computed;
pub mod decisive;
pub mod decode_error;
pub mod duration;
pub mod extension;
pub mod feature;
pub mod filter;
pub mod gateway;
pub mod gateway_class;
pub mod generation;
pub mod go_duration;
pub mod grpc_route;
pub mod host_claim;
mod host_request;
pub mod http_proxy;
pub mod http_route;
pub mod ingress;
pub mod ingress_class;
pub mod ingress_route;
mod integer;
pub mod kind;
pub mod l4_route;
pub mod label_selector;
pub mod listener;
pub mod listener_set;
mod mask;
pub mod metadata;
pub mod namespace;
pub mod number;
pub mod object;
pub mod one_or_many;
pub mod partial;
pub mod present;
pub mod protocol;
pub mod proxy_action;
mod proxy_condition;
pub mod reference;
pub mod reference_grant;
pub mod retired;
pub mod routability;
pub mod route;
pub mod schema;
pub mod secret;
pub mod service;
mod shape;
pub mod size;
mod table;
pub mod text;
pub mod tls_certificate_delegation;
pub mod walk;

use serde::{Deserialize, Deserializer};

pub use backend_tls_policy::BackendTlsPolicy;
pub use certificate::Certificate;
pub use decode_error::DecodeError;
pub use gateway::Gateway;
pub use gateway_class::GatewayClass;
pub use generation::Generation;
pub use grpc_route::GrpcRoute;
pub use host_claim::HostClaim;
pub use host_request::HostRequest;
pub use http_proxy::HttpProxy;
pub use http_route::HttpRoute;
pub use ingress::Ingress;
pub use ingress_class::IngressClass;
pub use ingress_route::IngressRoute;
pub(crate) use integer::{integer_or_none, integer_or_zero, integers};
pub use kind::{ApiResource, Kind, KindSet, ObjectRef};
pub use l4_route::L4Route;
pub use listener::{Listener, Listeners};
pub use listener_set::ListenerSet;
pub use metadata::Metadata;
pub use namespace::Namespace;
pub use number::Number;
pub use object::{Object, ObjectSeed, decode};
pub use partial::Partial;
use present::present_names;
pub use present::{OptionalList, Present};
pub use reference_grant::ReferenceGrant;
pub use routability::Routability;
pub use route::Route;
pub use secret::Secret;
pub use service::Service;
pub use size::Size;
pub use table::{WebhookGroup, WebhookSupport};
pub use text::{Entries, Text};
pub(crate) use text::{text_or_empty, text_or_none};
pub use tls_certificate_delegation::TlsCertificateDelegation;

/// Decodes `null` as the default, as the API server's own decoder does.
pub fn null_is_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
