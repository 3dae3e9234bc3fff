//! Compares the answers of `explain` with oracles that share no code with it.

mod delegations;
mod gateways;
pub mod ingresses;
mod losers;
mod outcomes;
mod proxies;
mod regions;
pub mod routes;
pub mod worlds;
