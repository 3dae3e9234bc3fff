//! Compares the answers of `explain` with oracles that share no code with it.

pub mod controllers;
pub mod delegations;
mod dialects;
mod gateways;
mod headers;
pub mod ingresses;
mod losers;
mod nginx;
mod outcomes;
pub mod proxies;
pub mod routes;
mod slow_expression;
pub mod worlds;
