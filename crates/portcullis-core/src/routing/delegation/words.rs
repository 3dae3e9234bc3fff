//! Verdicts in words, for `status.description` and conditions. What an object holds is shortened and cleaned before it is shown.

use std::borrow::Cow;

use super::verdict::{DelegationState, Failing, GraphStatus, InvalidReason, Outside, ReasonDetail};
use crate::config::Extension;
use crate::kinds::ObjectRef;
use crate::message::{Disclosure, NAME, hidden, truncate};

/// The most characters that are shown of a prefix.
const PREFIX: usize = 100;
/// The most objects of a cycle that are named.
const CYCLE: usize = 8;

/// Why the object is what it is.
pub(super) fn description(verdict: &GraphStatus, names: Disclosure<'_>) -> String {
    match (verdict.state, &verdict.why) {
        (DelegationState::Valid, _) if verdict.is_root => "root ingress route".to_owned(),
        (DelegationState::Valid, _) => "delegated ingress route".to_owned(),
        (DelegationState::Invalid, Some(why)) => self::why(why, names),
        // Nothing is invalid without a reason.
        (DelegationState::Invalid, None) => "invalid ingress route".to_owned(),
        (DelegationState::Orphaned, _) => "not part of a delegation chain from a root".to_owned(),
    }
}

/// The reason of the condition `Valid`, as the API writes reasons: one word in camel case.
pub(super) fn reason(why: &InvalidReason) -> Cow<'static, str> {
    Cow::Borrowed(match why {
        InvalidReason::Error(error) => return camel_case(error.rule.unwrap_or("unreadable")),
        InvalidReason::RootNamespace => "RootNamespaceNotAllowed",
        InvalidReason::HostTaken(_) => "FqdnConflict",
        InvalidReason::Extension(Extension::TcpProxy) => "ExtensionDisabled",
        InvalidReason::Extension(Extension::CertDelegation) => "TlsSecretInOtherNamespace",
        InvalidReason::NoConnections(_) => "TcpproxyMissing",
        InvalidReason::NotLent(..) => "TlsCertificateNotDelegated",
        InvalidReason::BadSecret(_) => "TlsSecretUnusable",
        InvalidReason::NoService(_) | InvalidReason::NoPort(..) => "ServiceNotFound",
        InvalidReason::ToRoot(..) => "DelegateIsRoot",
        InvalidReason::Cycle(_) => "DelegationCycle",
        InvalidReason::Outside { route, .. } => outside(route),
    })
}

/// The reason of the condition `DelegationsAccepted`.
pub(super) fn reason_of(failing: &Failing) -> &'static str {
    match &failing.because {
        ReasonDetail::Missing => "DelegateNotFound",
        ReasonDetail::OtherClass => "IngressClass",
        ReasonDetail::Misplaced => "RootNamespaceNotAllowed",
        ReasonDetail::Invalid => "DelegateInvalid",
        ReasonDetail::Outside(route) => outside(route),
        ReasonDetail::NoConnections => "TcpproxyMissing",
    }
}

const fn outside(route: &Outside) -> &'static str {
    if route.delegates { "DelegationOutsidePrefix" } else { "PathOutsidePrefix" }
}

/// `ingress-route/delegate-is-root` as `DelegateIsRoot`.
fn camel_case(rule: &str) -> Cow<'static, str> {
    let fault = rule.rsplit('/').next().unwrap_or_default();
    let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    fault.split('-').filter(|part| part.is_ascii() && !part.is_empty()).map(word).collect::<String>().into()
}

/// Why an object is invalid.
pub(super) fn why(why: &InvalidReason, names: Disclosure<'_>) -> String {
    match why {
        InvalidReason::RootNamespace => "its namespace may not hold roots".to_owned(),
        InvalidReason::Error(error) => error.message.to_string(),
        InvalidReason::HostTaken(by) => format!("{} also claims spec.virtualhost.fqdn", other(by, names)),
        InvalidReason::Extension(Extension::TcpProxy) => "the extension tcpproxy is not enabled".to_owned(),
        InvalidReason::Extension(Extension::CertDelegation) => {
            "spec.virtualhost.tls.secretName names a namespace, but the extension certdelegation is not enabled"
                .to_owned()
        }
        InvalidReason::NotLent(namespace, secret) => {
            let (namespace, secret) = (truncate(namespace, NAME), truncate(secret, NAME));
            format!(
                "no TLSCertificateDelegation.contour.heptio.com of namespace {namespace} delegates the Secret {secret} to it"
            )
        }
        InvalidReason::BadSecret(name) => {
            format!("Secret {} has no usable certificate and key", truncate(name, NAME))
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

/// Why a delegation leads nowhere, with its field.
pub(super) fn failing(failing: &Failing) -> String {
    format!("{} delegates to {}", field(failing.route), target(failing))
}

impl Failing {
    /// Where it should lead, and why it does not: `IngressRoute team/x, which does not exist`.
    pub fn words(&self) -> String {
        target(self)
    }
}

/// Where a delegation should lead, and why it does not.
fn target(failing: &Failing) -> String {
    let target = named(&failing.target);
    let because = match &failing.because {
        ReasonDetail::Missing => "which does not exist".to_owned(),
        ReasonDetail::OtherClass => "which is of another class".to_owned(),
        ReasonDetail::Misplaced => "which is a root in a namespace that may not hold roots".to_owned(),
        ReasonDetail::Invalid => "which is invalid".to_owned(),
        ReasonDetail::Outside(route) => {
            let verb = if route.delegates { "delegates" } else { "serves" };
            format!("which {verb} `{}` outside the match", truncate(&route.prefix, PREFIX))
        }
        ReasonDetail::NoConnections => "which has no tcpproxy".to_owned(),
    };
    format!("{target}, {because}")
}

fn field(route: Option<usize>) -> String {
    route.map_or("spec.tcpproxy".to_owned(), |route| format!("spec.routes[{route}]"))
}

/// An object that the author did not write down.
fn other(object_ref: &ObjectRef, names: Disclosure<'_>) -> String {
    match names {
        Disclosure::Namespace(own) if own != object_ref.namespace => hidden(object_ref.kind.api().kind),
        _ => named(object_ref),
    }
}

fn named(object_ref: &ObjectRef) -> String {
    truncate(&object_ref.to_string(), 2 * NAME)
}

/// The way around, shortened in the middle.
fn cycle(path: &[ObjectRef], names: Disclosure<'_>) -> String {
    let object_ref = |object_ref: &ObjectRef| match names {
        Disclosure::Namespace(own) if own != object_ref.namespace => "(another namespace)".to_owned(),
        _ => format!("{}/{}", truncate(&object_ref.namespace, NAME), truncate(&object_ref.name, NAME)),
    };
    let mut names: Vec<String> = path.iter().map(object_ref).collect();
    if names.len() > CYCLE {
        let left_out = names.len() - CYCLE;
        names.splice(CYCLE / 2..CYCLE / 2 + left_out, [format!("({left_out} more)")]);
    }
    names.join(" -> ")
}
