//! Verdicts in words, for `status.description` and conditions. What an object holds is shortened and cleaned before it is shown.

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

/// The rule that is broken: the name of its check without the family.
pub(super) fn rule(why: &Why) -> &'static str {
    match why {
        Why::RootNamespace => "root-namespace",
        Why::Fault(fault) => fault.rule,
        Why::HostTaken(_) => "fqdn-unique",
        Why::Extension(Extension::TcpProxy) | Why::NoConnections(_) => "tcpproxy",
        Why::Extension(Extension::CertDelegation) => "tls-secret-namespace",
        Why::NotLent(..) => "tls-cert-delegation",
        Why::BadSecret(_) => "tls-secret-valid",
        Why::NoService(_) | Why::NoPort(..) => "service-exists",
        Why::ToRoot(..) => "delegate-to-root",
        Why::Cycle(_) => "delegation-cycle",
        Why::Outside { route, .. } => outside(route),
    }
}

/// The rule that a failing delegation is about, where a check asks for one; else the fault in the same form.
pub(super) fn rule_of(failing: &Failing) -> &'static str {
    match &failing.because {
        Because::Missing => "delegate-missing",
        Because::OtherClass => "ingress-class",
        Because::Misplaced => "root-namespace",
        Because::Invalid => "delegate-invalid",
        Because::Outside(route) => outside(route),
        Because::NoConnections => "tcpproxy",
    }
}

const fn outside(route: &Outside) -> &'static str {
    if route.delegates { "delegate-escape" } else { "delegated-prefix" }
}

/// Why an object is invalid.
pub(super) fn why(why: &Why, names: Names<'_>) -> String {
    match why {
        Why::RootNamespace => "its namespace may not hold roots".to_owned(),
        Why::Fault(fault) => fault.says.to_string(),
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

/// Where a delegation should lead, and why it does not.
pub(super) fn target(failing: &Failing) -> String {
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
