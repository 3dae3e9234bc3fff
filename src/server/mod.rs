//! The door: bytes from the network become requests within limits, and answers become bytes.
//!
//! In comes a bound listener and an axum router; out go answers, and counters of what was turned away. This room owns
//! every limit of time, size and number, so that no handler has to think of a slow, greedy or hostile peer. It never
//! looks into an object and never decides about one.
//!
//! Read it in the order in which a byte travels: `accept` takes a connection, `places` finds room for it, `connection`
//! speaks HTTP on it over its `transport`, `timed` asks `clock` how long to wait for the peer, `body` reads what was
//! sent, and `refusal` says why it was not. `health` is what the second, plain door answers.

pub mod accept;
pub mod body;
mod clock;
mod connection;
pub mod handlers;
pub mod health;
pub mod limits;
mod places;
pub mod refusal;
mod timed;
pub mod traffic;
pub mod transport;

pub use accept::{Server, listen};
pub use body::{Budget, Held};
pub use handlers::Desk;
pub use health::{Condition, Health, Level};
pub use limits::Limits;
pub use refusal::Refusal;
pub use traffic::Traffic;
pub use transport::Transport;
