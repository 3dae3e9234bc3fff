//! Properties of all objects, compared with oracles that share no code with the tested one. All random values come from
//! a seed, which a failure prints.

mod agree;
mod agree_http_proxy;
mod attach;
mod creation_order;
mod delegation;
mod determinism;
mod first_namespace;
mod host_claims;
mod host_requests;
mod hosts;
mod incremental;
mod index;
mod listener_index;
mod needs;
mod overlaps;
mod owners;
mod proposed_claims;
mod random_ingress;
mod ratchet;
mod redaction;
mod strategy_index;
mod view_release;
