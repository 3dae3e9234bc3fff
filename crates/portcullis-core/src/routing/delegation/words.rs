//! The text of verdicts for `status.description` and conditions. Values from objects are shortened and sanitized before
//! they are shown.

use std::borrow::Cow;

use super::verdict::{DelegationFailure, DelegationState, Failing, GraphStatus, InvalidReason, Outside, RootRefusal};
use crate::config::Extension;
use crate::kinds::ObjectRef;
use crate::message::{Disclosure, NAME, hidden, truncate};

/// The maximum number of characters of a prefix that are shown.
const PREFIX: usize = 100;
/// The maximum number of objects of a cycle that are named.
const CYCLE: usize = 8;

/// Why the object has its state.
pub(super) fn description(verdict: &GraphStatus, names: Disclosure<'_>) -> String {
    match (verdict.state, &verdict.why) {
        (DelegationState::Valid, _) if verdict.is_root => "root ingress route".to_owned(),
        (DelegationState::Valid, _) => "delegated ingress route".to_owned(),
        (DelegationState::Invalid, Some(why)) => self::why(why, names),
        // An invalid object always has a reason.
        (DelegationState::Invalid, None) => "invalid ingress route".to_owned(),
        (DelegationState::Orphaned, _) => "not part of a delegation chain from a root".to_owned(),
    }
}

/// The reason of the condition `Valid`, in the form of API reasons: one word in camel case.
pub(super) fn reason(why: &InvalidReason) -> Cow<'static, str> {
    Cow::Borrowed(match why {
        InvalidReason::Error(error) => return camel_case(error.rule.unwrap_or("unreadable")),
        InvalidReason::Root(refusal) => refused(*refusal),
        InvalidReason::HostTaken(_) => "FqdnConflict",
        InvalidReason::Extension(Extension::TcpProxy) => "ExtensionDisabled",
        InvalidReason::Extension(Extension::CertDelegation) => "TlsSecretInOtherNamespace",
        InvalidReason::NoConnections(_) => "TcpproxyMissing",
        InvalidReason::CertificateNotDelegated(..) => "TlsCertificateNotDelegated",
        InvalidReason::NoSecret(_) => "TlsSecretNotFound",
        InvalidReason::BadSecret(_) => "TlsSecretUnusable",
        InvalidReason::StrategyConflict(_) => "StrategyConflict",
        InvalidReason::NoService(_) | InvalidReason::NoPort(..) => "ServiceNotFound",
        InvalidReason::ToRoot(..) => "DelegateIsRoot",
        InvalidReason::Cycle(_) => "DelegationCycle",
        InvalidReason::Outside { route, .. } => outside(route),
    })
}

/// The reason of the condition `DelegationsAccepted`.
pub(super) fn reason_of(failing: &Failing) -> &'static str {
    match &failing.reason {
        DelegationFailure::Missing => "DelegateNotFound",
        DelegationFailure::OtherClass => "DelegateOfOtherClass",
        DelegationFailure::Root(refusal) => refused(*refusal),
        DelegationFailure::Invalid => "DelegateInvalid",
        DelegationFailure::Outside(route) => outside(route),
        DelegationFailure::NoConnections => "TcpproxyMissing",
    }
}

const fn refused(refusal: RootRefusal) -> &'static str {
    match refusal {
        RootRefusal::Namespace => "RootNamespaceNotAllowed",
        RootRefusal::Owner => "HostNotOwned",
    }
}

const fn outside(route: &Outside) -> &'static str {
    if route.delegates { "DelegationOutsidePrefix" } else { "PathOutsidePrefix" }
}

/// Returns `DelegateIsRoot` for `ingress-route/delegate-is-root`.
fn camel_case(rule: &str) -> Cow<'static, str> {
    let fault = rule.rsplit('/').next().unwrap_or_default();
    let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    fault.split('-').filter(|part| part.is_ascii() && !part.is_empty()).map(word).collect::<String>().into()
}

/// Why an object is invalid.
pub(super) fn why(why: &InvalidReason, names: Disclosure<'_>) -> String {
    match why {
        InvalidReason::Root(RootRefusal::Namespace) => "roots are not allowed in its namespace".to_owned(),
        InvalidReason::Root(RootRefusal::Owner) => {
            "the host in spec.virtualhost.fqdn belongs to another namespace (hostOwnership)".to_owned()
        }
        InvalidReason::Error(error) => error.message.to_string(),
        InvalidReason::HostTaken(by) => format!("{} also claims the host in spec.virtualhost.fqdn", other(by, names)),
        InvalidReason::Extension(Extension::TcpProxy) => "the extension tcpproxy is not enabled".to_owned(),
        InvalidReason::Extension(Extension::CertDelegation) => {
            "spec.virtualhost.tls.secretName names a namespace, but the extension certdelegation is not enabled"
                .to_owned()
        }
        InvalidReason::CertificateNotDelegated(namespace, secret) => {
            let (namespace, secret) = (truncate(namespace, NAME), truncate(secret, NAME));
            format!(
                "no TLSCertificateDelegation.contour.heptio.com in namespace {namespace} delegates Secret {secret} to the namespace of this object"
            )
        }
        InvalidReason::BadSecret(name) => {
            format!("Secret {} has no usable certificate and key", truncate(name, NAME))
        }
        InvalidReason::NoSecret(name) => format!("Secret {} not found", truncate(name, NAME)),
        // The words of the sample in the design document.
        InvalidReason::StrategyConflict(by) => {
            format!("conflicting lb algorithm with ingressroute {:?}", truncate(&by.name, NAME))
        }
        InvalidReason::NoService(name) => format!("Service {} not found in its namespace", truncate(name, NAME)),
        InvalidReason::NoPort(name, port) => format!("Service {} has no port {port}", truncate(name, NAME)),
        InvalidReason::ToRoot(route, other) => {
            format!("{} delegates to {}, which is a root", field(*route), named(other))
        }
        InvalidReason::Cycle(path) => format!("closes a cycle of delegations: {}", cycle(path, names)),
        InvalidReason::Outside { by, prefix, route } => {
            let verb = if route.delegates { "delegates" } else { "serves" };
            let (by, route, prefix) = (other(by, names), truncate(&route.prefix, PREFIX), truncate(prefix, PREFIX));
            format!("{verb} `{route}`, which is outside `{prefix}`, the prefix that {by} delegates to it")
        }
        InvalidReason::NoConnections(by) => {
            format!("has no tcpproxy, and {} delegates connections to it", other(by, names))
        }
    }
}

/// Why a delegation fails, with its field.
pub(super) fn failing(failing: &Failing) -> String {
    format!("{} delegates to {}", field(failing.route), target(failing))
}

impl Failing {
    /// The target and the reason for the failure: `IngressRoute team/x, which does not exist`.
    pub fn words(&self) -> String {
        target(self)
    }
}

/// The target of a delegation and the reason for its failure.
fn target(failing: &Failing) -> String {
    let target = named(&failing.target);
    let reason = match &failing.reason {
        DelegationFailure::Missing => "which does not exist".to_owned(),
        DelegationFailure::OtherClass => "which is of another class".to_owned(),
        DelegationFailure::Root(RootRefusal::Namespace) => {
            "which is a root in a namespace where roots are not allowed".to_owned()
        }
        DelegationFailure::Root(RootRefusal::Owner) => {
            "which is a root of a host that belongs to another namespace".to_owned()
        }
        DelegationFailure::Invalid => "which is invalid".to_owned(),
        DelegationFailure::Outside(route) => {
            let verb = if route.delegates { "delegates" } else { "serves" };
            format!("which {verb} `{}` outside the match", truncate(&route.prefix, PREFIX))
        }
        DelegationFailure::NoConnections => "which has no tcpproxy".to_owned(),
    };
    format!("{target}, {reason}")
}

fn field(route: Option<usize>) -> String {
    route.map_or("spec.tcpproxy".to_owned(), |route| format!("spec.routes[{route}]"))
}

/// An object that the author of this object may not be allowed to see.
fn other(object_ref: &ObjectRef, names: Disclosure<'_>) -> String {
    match names {
        Disclosure::Namespace(own) if own != object_ref.namespace => hidden(object_ref.kind.api().kind),
        _ => named(object_ref),
    }
}

fn named(object_ref: &ObjectRef) -> String {
    truncate(&object_ref.to_string(), 2 * NAME)
}

/// The objects of a cycle, shortened in the middle.
fn cycle(path: &[ObjectRef], names: Disclosure<'_>) -> String {
    let describe = |object_ref: &ObjectRef| match names {
        Disclosure::Namespace(own) if own != object_ref.namespace => "(another namespace)".to_owned(),
        _ => format!("{}/{}", truncate(&object_ref.namespace, NAME), truncate(&object_ref.name, NAME)),
    };
    let mut names: Vec<String> = path.iter().map(describe).collect();
    if names.len() > CYCLE {
        let left_out = names.len() - CYCLE;
        names.splice(CYCLE / 2..CYCLE / 2 + left_out, [format!("({left_out} more)")]);
    }
    names.join(" -> ")
}
