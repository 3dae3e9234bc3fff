//! Explains which object answers a request, by which rule and over which chain, and why each other candidate does not.
//!
//! A [`Snapshot`] is built from the objects of a cluster. It answers requests by lookup, and it lists the conditions by
//! which its objects tell requests apart. Each API has its own [`RouteResolver`]; objects of different data planes never
//! compete.

pub mod answer;
mod attached;
mod backends;
pub mod candidate;
mod conditions;
mod cors;
mod delegation;
mod expansion;
mod filters;
mod forest;
mod gateway;
mod gateway_chain;
mod include;
mod ingress;
mod ingress_chain;
mod ingress_rules;
mod ingress_source;
pub mod nginx_answer;
mod normalization;
mod not_evaluated;
pub mod outcome;
pub mod request;
mod rewriting;
mod route_action;
mod route_chain;
mod route_outcome;
pub mod route_resolver;
mod selection;
mod service;
mod sites;
mod slash_variants;
pub mod snapshot;
mod trees;
mod undecided;
mod unreached_routes;

pub use answer::{AnsweringPlane, Api, ChainLink, Explanation, Loser, PlaneAnswer, ReachedPoint, Winner};
pub use candidate::Candidate;
pub use not_evaluated::NotEvaluated;
pub use outcome::{BackendShare, Failure, Forward, ForwardedRequest, HeaderChanges, Port, Reply, RequestOutcome};
pub use request::{Request, RequestError};
pub use rewriting::PathRewrite;
pub use route_resolver::{Condition, Detail, RouteResolver, Scope, Stored};
pub use snapshot::Snapshot;
