//! The door: bytes from the network become requests within limits, and answers become bytes.
//!
//! In comes a bound listener and an axum router; out go answers, and counters of what was turned away. This room owns
//! every limit of time, size and number, so that no handler has to think of a slow, greedy or hostile peer. It never
//! looks into an object and never decides about one.
//!
//! Read it in the order in which a byte travels: `accept` takes a connection, `slots` finds room for it (by what `peers`
//! remembers of its address), `connection` speaks HTTP on it over its `transport`, `timed` asks `clock` how long to wait
//! for the peer, `access` says whether it may ask, `body` reads what was sent within the `budget` of all bodies, `refusal`
//! says why it was not, and `handlers` has it reviewed, by `workers` if that may take long (`cost`). `health` is what the
//! second, plain door answers.

pub mod accept;
pub mod access;
pub mod body;
mod budget;
mod connection;
mod cost;
pub mod handlers;
pub mod health;
pub mod limits;
mod origin;
mod peers;
pub mod rejection;
mod slots;
mod timeout_io;
mod timeouts;
pub mod traffic;
pub mod transport;
mod workers;

pub use accept::{Server, listen};
pub use access::{Access, PathTokens};
pub use body::BufferedBody;
pub use budget::Budget;
pub use handlers::WebhookState;
pub use health::{Health, HealthCondition, Level};
pub use limits::Limits;
pub use origin::RequestOrigin;
pub use rejection::Rejection;
pub use traffic::Traffic;
pub use transport::Transport;
