//! What the graph says of one IngressRoute.

use std::sync::Arc;

use crate::config::Extension;
use crate::kinds::ObjectRef;
use crate::matching::Host;
use crate::validation::ObjectError;

/// The most roots that a verdict lists.
pub const ROOTS: usize = 16;

/// What becomes of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DelegationState {
    /// It serves.
    Valid,
    /// It is rejected, with all its routes and delegations.
    Invalid,
    /// No root delegates to it.
    Orphaned,
}

impl DelegationState {
    /// The word in `currentStatus`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Orphaned => "orphaned",
        }
    }
}

/// What is said of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphStatus {
    /// What becomes of it.
    pub state: DelegationState,
    /// Whether it has a host, be it in vain.
    pub is_root: bool,
    /// Whether it answers requests, under a prefix that a root has or delegates.
    pub serves: bool,
    /// Whether it takes whole connections, of a root.
    pub connects: bool,
    /// Why it is invalid; of an orphan, why it would be if a root delegated to it.
    pub why: Option<Box<InvalidReason>>,
    /// Whether it delegates.
    pub delegates: bool,
    /// Its delegations that lead nowhere, in document order; none of an object that delegates nothing anyway.
    pub failing: Box<[Failing]>,
    /// The roots under which it serves, itself if it is one: the first [`ROOTS`] by place.
    pub roots: Box<[Arc<Root>]>,
    /// The host that it claims in vain, as an invalid root whose namespace may hold roots.
    pub claims: Option<Host<'static>>,
    /// How often the object's `spec` had been written.
    pub generation: Option<i64>,
}

impl GraphStatus {
    /// Whether the delegation of the route at this position among `spec.routes` (`None` for `tcpproxy`) leads to an object that accepts
    /// it, as far as the object is known.
    pub fn holds(&self, route: Option<usize>) -> bool {
        self.state == DelegationState::Valid && !self.failing.iter().any(|failing| failing.route == route)
    }

    /// The one host that it is about: of the only root under which it serves, or its own; none where there are several, or none.
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
    /// Its place.
    pub object_ref: Arc<ObjectRef>,
    /// Its host.
    pub host: Host<'static>,
}

/// Why an object is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidReason {
    /// Its namespace may not hold roots.
    RootNamespace,
    /// It is invalid by itself.
    Error(ObjectError),
    /// Another root claims its host.
    HostTaken(ObjectRef),
    /// It uses an extension that is not switched on.
    Extension(Extension),
    /// The namespace of its certificate does not lend it this Secret.
    NotLent(Box<str>, Box<str>),
    /// This Secret is there, and TLS cannot be spoken with what it holds.
    BadSecret(Box<str>),
    /// There is no such Service.
    NoService(Box<str>),
    /// The Service has no such port.
    NoPort(Box<str>, i64),
    /// The route of this index, or `tcpproxy`, delegates to a root.
    ToRoot(Option<usize>, ObjectRef),
    /// Its delegation closes this cycle, which begins and ends with it.
    Cycle(Box<[ObjectRef]>),
    /// This object delegates it a prefix that does not cover this route.
    Outside {
        /// Who delegates.
        by: ObjectRef,
        /// The prefix.
        prefix: Box<str>,
        /// The first route outside.
        route: Outside,
    },
    /// This object delegates it whole connections, and it takes none.
    NoConnections(ObjectRef),
}

/// A delegation of a valid object that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    /// The position among `spec.routes`; none for `tcpproxy`.
    pub route: Option<usize>,
    /// Where it should lead.
    pub target: Arc<ObjectRef>,
    /// Why it does not.
    pub because: ReasonDetail,
}

/// Why a delegation leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReasonDetail {
    /// There is no such object.
    Missing,
    /// The object is of another class.
    OtherClass,
    /// The object is a root where none may be.
    Misplaced,
    /// The object is invalid, for a reason of its own.
    Invalid,
    /// This route of the object lies outside the prefix.
    Outside(Outside),
    /// The object takes no whole connections.
    NoConnections,
}

/// A route that lies outside the prefix under which its object is delegated to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// Its match.
    pub prefix: Box<str>,
    /// Whether it delegates on.
    pub delegates: bool,
}
