//! Verdicts in words, for `status.description` and conditions. What an object holds is shortened and cleaned before it is shown.

use std::borrow::Cow;

use super::verdict::{Because, Failing, Outside, State, Verdict, Why};
use crate::config::Extension;
use crate::kinds::ObjectRef;
use crate::sentence::{NAME, Names, brief, hidden};

/// The most characters that are shown of a prefix.
const PREFIX: usize = 100;
/// The most objects of a cycle that are named.
const CYCLE: usize = 8;

/// Why the object is what it is.
pub(super) fn description(verdict: &Verdict, names: Names<'_>) -> String {
    match (verdict.state, &verdict.why) {
        (State::Valid, _) if verdict.is_root => "root ingress route".to_owned(),
        (State::Valid, _) => "delegated ingress route".to_owned(),
        (State::Invalid, Some(why)) => self::why(why, names),
        // Nothing is invalid without a reason.
        (State::Invalid, None) => "invalid ingress route".to_owned(),
        (State::Orphaned, _) => "not part of a delegation chain from a root".to_owned(),
    }
}

/// The reason of the condition `Valid`, as the API writes reasons: one word in camel case.
pub(super) fn reason(why: &Why) -> Cow<'static, str> {
    Cow::Borrowed(match why {
        Why::Error(error) => return camel_case(error.rule.unwrap_or("unreadable")),
        Why::RootNamespace => "RootNamespace",
        Why::HostTaken(_) => "FqdnUnique",
        Why::Extension(Extension::TcpProxy) => "ExtensionDisabled",
        Why::Extension(Extension::CertDelegation) => "TlsSecretNamespace",
        Why::NoConnections(_) => "TcpproxyMissing",
        Why::NotLent(..) => "TlsCertDelegation",
        Why::BadSecret(_) => "TlsSecretValid",
        Why::NoService(_) | Why::NoPort(..) => "ServiceExists",
        Why::ToRoot(..) => "DelegateToRoot",
        Why::Cycle(_) => "DelegationCycle",
        Why::Outside { route, .. } => outside(route),
    })
}

/// The reason of the condition `DelegationsAccepted`.
pub(super) fn reason_of(failing: &Failing) -> &'static str {
    match &failing.because {
        Because::Missing => "DelegateMissing",
        Because::OtherClass => "IngressClass",
        Because::Misplaced => "RootNamespace",
        Because::Invalid => "DelegateInvalid",
        Because::Outside(route) => outside(route),
        Because::NoConnections => "TcpproxyMissing",
    }
}

const fn outside(route: &Outside) -> &'static str {
    if route.delegates { "DelegateEscape" } else { "DelegatedPrefix" }
}

/// `ingressroute/delegate-to-root` as `DelegateToRoot`.
fn camel_case(rule: &str) -> Cow<'static, str> {
    let fault = rule.rsplit('/').next().unwrap_or_default();
    let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    fault.split('-').filter(|part| part.is_ascii() && !part.is_empty()).map(word).collect::<String>().into()
}

/// Why an object is invalid.
pub(super) fn why(why: &Why, names: Names<'_>) -> String {
    match why {
        Why::RootNamespace => "its namespace may not hold roots".to_owned(),
        Why::Error(error) => error.message.to_string(),
        Why::HostTaken(by) => format!("spec.virtualhost.fqdn is the host of {} too", other(by, names)),
        Why::Extension(Extension::TcpProxy) => "tcpproxy is an extension that is not switched on".to_owned(),
        Why::Extension(Extension::CertDelegation) => {
            "spec.virtualhost.tls.secretName names a namespace, an extension that is not switched on".to_owned()
        }
        Why::NotLent(namespace, secret) => {
            let (namespace, secret) = (brief(namespace, NAME), brief(secret, NAME));
            format!(
                "no TLSCertificateDelegation.contour.heptio.com of namespace {namespace} lends it the Secret {secret}"
            )
        }
        Why::BadSecret(name) => format!("TLS cannot be spoken with what the Secret {} holds", brief(name, NAME)),
        Why::NoService(name) => format!("there is no Service {} in its namespace", brief(name, NAME)),
        Why::NoPort(name, port) => format!("Service {} has no port {port}", brief(name, NAME)),
        Why::ToRoot(route, other) => format!("{} delegates to {}, which is a root", field(*route), named(other)),
        Why::Cycle(path) => format!("closes a cycle of delegations: {}", cycle(path, names)),
        Why::Outside { by, prefix, route } => {
            let verb = if route.delegates { "delegates" } else { "serves" };
            let (by, route, prefix) = (other(by, names), brief(&route.prefix, PREFIX), brief(prefix, PREFIX));
            format!("{verb} `{route}`, which is outside `{prefix}`, all that {by} delegates to it")
        }
        Why::NoConnections(by) => format!("has no tcpproxy, and {} delegates connections to it", other(by, names)),
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
        Because::Missing => "which does not exist".to_owned(),
        Because::OtherClass => "which is of another class".to_owned(),
        Because::Misplaced => "which names a host that its namespace may not have".to_owned(),
        Because::Invalid => "which is invalid".to_owned(),
        Because::Outside(route) => {
            let verb = if route.delegates { "delegates" } else { "serves" };
            format!("which {verb} `{}` outside the match", brief(&route.prefix, PREFIX))
        }
        Because::NoConnections => "which has no tcpproxy".to_owned(),
    };
    format!("{target}, {because}")
}

fn field(route: Option<usize>) -> String {
    route.map_or("spec.tcpproxy".to_owned(), |route| format!("spec.routes[{route}]"))
}

/// An object that the author did not write down.
fn other(place: &ObjectRef, names: Names<'_>) -> String {
    match names {
        Names::OnlyOf(own) if own != place.namespace => hidden(place.kind.api().kind),
        _ => named(place),
    }
}

fn named(place: &ObjectRef) -> String {
    brief(&place.to_string(), 2 * NAME)
}

/// The way around, shortened in the middle.
fn cycle(path: &[ObjectRef], names: Names<'_>) -> String {
    let place = |place: &ObjectRef| match names {
        Names::OnlyOf(own) if own != place.namespace => "(another namespace)".to_owned(),
        _ => format!("{}/{}", brief(&place.namespace, NAME), brief(&place.name, NAME)),
    };
    let mut names: Vec<String> = path.iter().map(place).collect();
    if names.len() > CYCLE {
        let left_out = names.len() - CYCLE;
        names.splice(CYCLE / 2..CYCLE / 2 + left_out, [format!("({left_out} more)")]);
    }
    names.join(" -> ")
}
