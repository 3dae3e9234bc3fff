//! Which object answers a request, by which rule, over which chain, and why each other candidate does not.
//!
//! In come the objects of a cluster, out comes a [`World`] that answers requests by look-up and can list the finite regions of requests that
//! its objects tell apart. Each API brings its own [`Planes`]; objects of different data planes never compete.

pub mod answer;
mod attached;
mod backends;
pub mod candidate;
mod conditions;
mod contest;
mod delegation;
mod demands;
mod filters;
mod forest;
mod gateway;
mod gateway_chain;
mod growth;
mod include;
mod ingress;
mod ingress_chain;
mod ingress_rules;
mod ingress_source;
mod literals;
pub mod planes;
pub mod regions;
pub mod request;
mod service;
mod sites;
mod strays;
mod trees;
mod way;
pub mod world;

pub use answer::{Answer, Api, Backend, Link, Loser, Plane, Port, Verdict, Winner};
pub use candidate::Candidate;
pub use literals::PathClass;
pub use planes::{Planes, Scope, Stored};
pub use regions::{HostClass, Region, Regions};
pub use request::{Request, RequestError};
pub use world::World;
