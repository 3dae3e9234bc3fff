//! Compares the answers of `explain` with oracles that share no code with it.

mod delegations;
mod gateways;
mod ingresses;
mod losers;
mod outcomes;
mod proxies;
mod regions;
mod routes;
pub mod worlds;
