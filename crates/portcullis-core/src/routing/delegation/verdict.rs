//! The verdict of the graph on one IngressRoute.

use std::sync::Arc;

use crate::config::Extension;
use crate::kinds::ObjectRef;
use crate::matching::Host;
use crate::validation::ObjectError;

/// The maximum number of roots in a verdict.
pub const ROOTS: usize = 16;

/// The state of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DelegationState {
    /// It serves traffic.
    Valid,
    /// It is rejected with all its routes and delegations.
    Invalid,
    /// No root delegates to it.
    Orphaned,
}

impl DelegationState {
    /// The value of `currentStatus`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Orphaned => "orphaned",
        }
    }
}

/// The verdict on one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphStatus {
    /// The state.
    pub state: DelegationState,
    /// Whether it has a host, even if it may not have one.
    pub is_root: bool,
    /// Whether it serves requests, under a prefix that it has as a root or that a root delegates to it.
    pub serves: bool,
    /// Whether it accepts whole connections of a root.
    pub connects: bool,
    /// Why it is invalid. For an orphaned object, why it would be invalid if a root delegated to it.
    pub why: Option<Box<InvalidReason>>,
    /// Whether it delegates.
    pub delegates: bool,
    /// Its failing delegations, in document order; empty for an object whose delegations have no effect anyway.
    pub failing: Box<[Failing]>,
    /// The roots under which it serves traffic, including itself if it is a root: the first [`ROOTS`] by reference.
    pub roots: Box<[Arc<Root>]>,
    /// The host that an invalid root claims without owning it, if its namespace may hold roots.
    pub claims: Option<Host<'static>>,
    /// `metadata.generation` of the object.
    pub generation: Option<i64>,
}

impl GraphStatus {
    /// Whether the target of the route at this index in `spec.routes` (`None` for `tcpproxy`) accepts the delegation,
    /// as far as the target is known.
    pub fn holds(&self, route: Option<usize>) -> bool {
        self.state == DelegationState::Valid && !self.failing.iter().any(|failing| failing.route == route)
    }

    /// The host under which the object is counted: that of the only root under which it serves traffic, or the one that
    /// it claims; `None` if there are several or none.
    pub fn host(&self) -> Option<&Host<'static>> {
        match &*self.roots {
            [root] => Some(&root.host),
            _ => self.claims.as_ref(),
        }
    }
}

/// An accepted root.
#[derive(Debug, PartialEq, Eq)]
pub struct Root {
    /// The reference to the root.
    pub object_ref: Arc<ObjectRef>,
    /// The host.
    pub host: Host<'static>,
}

/// Why an object is not allowed to be the root of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootRefusal {
    /// Its namespace may not hold roots.
    Namespace,
    /// Another namespace owns the host.
    Owner,
}

/// Why an object is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidReason {
    /// It is not allowed to be the root of its host.
    Root(RootRefusal),
    /// It is invalid by itself.
    Error(ObjectError),
    /// Another root claims its host.
    HostTaken(ObjectRef),
    /// It uses a disabled extension.
    Extension(Extension),
    /// The namespace of its certificate does not delegate this Secret to it.
    CertificateNotDelegated(Box<str>, Box<str>),
    /// The Secret does not exist.
    NoSecret(Box<str>),
    /// The Secret exists, but its content cannot be used for TLS.
    BadSecret(Box<str>),
    /// Another object uses another load balancing strategy for the same port of a Service.
    StrategyConflict(ObjectRef),
    /// The Service does not exist.
    NoService(Box<str>),
    /// The Service does not have this port.
    NoPort(Box<str>, i64),
    /// The route with this index, or `tcpproxy`, delegates to a root.
    ToRoot(Option<usize>, ObjectRef),
    /// Its delegation closes this cycle, which begins and ends with the object.
    Cycle(Box<[ObjectRef]>),
    /// An object delegates a prefix to it that does not cover one of its routes.
    Outside {
        /// The object that delegates.
        by: ObjectRef,
        /// The prefix.
        prefix: Box<str>,
        /// The first route outside the prefix.
        route: Outside,
    },
    /// This object delegates whole connections to it, but it does not accept any.
    NoConnections(ObjectRef),
}

/// A failing delegation of a valid object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    /// The index in `spec.routes`; `None` for `tcpproxy`.
    pub route: Option<usize>,
    /// The target.
    pub target: Arc<ObjectRef>,
    /// Why the delegation fails.
    pub reason: DelegationFailure,
}

/// Why a delegation fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DelegationFailure {
    /// The target does not exist.
    Missing,
    /// The target has another class.
    OtherClass,
    /// The target is a root that is not allowed.
    Root(RootRefusal),
    /// The target is invalid for another reason.
    Invalid,
    /// This route of the target is outside the prefix.
    Outside(Outside),
    /// The target does not accept whole connections.
    NoConnections,
}

/// A route that is outside the prefix that is delegated to its object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// Its match.
    pub prefix: Box<str>,
    /// Whether it delegates further.
    pub delegates: bool,
}
