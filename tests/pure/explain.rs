//! Compares the answers of `explain` with oracles that share no code with it.

pub mod delegations;
mod dialects;
mod gateways;
pub mod ingresses;
mod losers;
mod outcomes;
pub mod proxies;
pub mod routes;
pub mod worlds;
