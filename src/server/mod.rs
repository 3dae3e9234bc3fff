//! The server: turns bytes from the network into requests, within limits, and responses into bytes.
//!
//! Its input is a bound listener and an axum router. Its output is responses, and counters of rejected requests and
//! closed connections. All limits on time, size and number are here, so that no handler has to consider a slow, greedy
//! or hostile peer. The server never looks into an object and never decides about one.
//!
//! The modules in the order in which a request passes through them: `accept` accepts a connection, `slots` assigns a
//! slot to it (using what `peers` remembers of its address), and `connection` serves HTTP on it over its `transport`.
//! `timeout_io` enforces the deadlines of `timeouts`, `access` authorizes the client, `body` reads the request body
//! within the shared `budget`, `rejection` is the response if that fails, and `handlers` evaluates the review, on
//! `workers` if that may take long (`cost`), or logs why it cannot (`unanswered`). `health` serves the second, plain
//! endpoint, and `shutdown` is how a server ends.

pub mod accept;
pub mod access;
pub mod body;
mod budget;
mod connection;
mod cost;
pub mod handlers;
pub mod health;
mod isolation;
pub mod limits;
mod origin;
mod peers;
mod rechecks;
pub mod rejection;
pub mod shutdown;
mod slots;
mod timeout_io;
mod timeouts;
pub mod traffic;
pub mod transport;
mod unanswered;
mod workers;

pub use accept::{Server, listen};
pub use access::{Access, PathTokens};
pub use body::BufferedBody;
pub use budget::Budget;
pub use handlers::WebhookState;
pub use health::{Health, HealthCondition, Level};
pub use isolation::Isolation;
pub use limits::Limits;
pub use origin::RequestOrigin;
pub use rechecks::{AdmittedReview, Rechecks};
pub use rejection::Rejection;
pub use shutdown::{Phase, Shutdown};
pub use traffic::Traffic;
pub use transport::Transport;
pub use workers::async_workers;
