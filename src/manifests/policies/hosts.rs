//! Policies for the ownership of hosts, which `host/not-owned` checks.

use jiff::Timestamp;
use portcullis_core::checks::Plan;
use portcullis_core::checks::settings::HOST_RULE;
use portcullis_core::config::{Config, Expiry, Unlisted, Validity};
use portcullis_core::kinds::Kind;
use portcullis_core::matching::Host;
use portcullis_core::matching::mark::ACME_SOLVER;

use super::cel::{list, quoted};
use super::entries::{ALLOWED, COVERS, Entries, TEMPLATES, UNLISTED, braced, most_hosts};
use super::exemptions::Exemptions;
use super::policy::{Policy, of_write};
use super::{PolicyOptions, claims, denies};

/// Whether an Ingress, or a route, has only paths of ACME challenges.
pub(super) const INGRESS_CHALLENGE: &str = "object.?spec.?rules.orValue([]).all(rule, rule.?http.?paths.orValue([]).all(path, \
    path.?path.orValue('').startsWith('/.well-known/acme-challenge/')))";
pub(super) const ROUTE_CHALLENGE: &str = "object.?spec.?rules.orValue([]).all(rule, rule.?matches.orValue([]).size() > 0 && \
    rule.matches.all(match, match.?path.?value.orValue('').startsWith('/.well-known/acme-challenge/')))";

/// Kinds that name their hosts in the same fields.
struct HostFields {
    /// The last part of the name of the policy.
    name: &'static str,
    kinds: &'static [Kind],
    /// The hosts of an object, in the place of `$`.
    hosts: &'static str,
    /// Whether `object` has only paths of ACME challenges.
    is_challenge: &'static str,
}

const SUBJECTS: [HostFields; 4] = [
    HostFields {
        name: "ingresses",
        kinds: &[Kind::Ingress],
        hosts: "($.?spec.?rules.orValue([]).map(rule, rule.?host.orValue('')) + \
                $.?spec.?tls.orValue([]).map(tls, tls.?hosts.orValue([]).join(',')).join(',').split(','))\
                .filter(host, host.contains('.') && !host.endsWith('.ts.net'))",
        is_challenge: INGRESS_CHALLENGE,
    },
    HostFields {
        name: "routes",
        kinds: &[Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute],
        hosts: "$.?spec.?hostnames.orValue([])",
        is_challenge: ROUTE_CHALLENGE,
    },
    HostFields {
        name: "listeners",
        kinds: &[Kind::Gateway, Kind::ListenerSet],
        hosts: "$.?spec.?listeners.orValue([]).filter(listener, !(listener.?protocol.orValue('') in ['TCP', 'UDP', 'HBONE']))\
                .map(listener, listener.?hostname.orValue(''))",
        is_challenge: "false",
    },
    HostFields {
        name: "delegations",
        kinds: &[Kind::IngressRoute, Kind::HttpProxy],
        hosts: "[$.?spec.?virtualhost.?fqdn.orValue('')]",
        is_challenge: "false",
    },
];

/// The policies of a configuration, and what they leave to the webhook; or why nothing is exported.
pub(super) fn policies(
    plan: &Plan,
    options: &PolicyOptions<'_>,
    now: Timestamp,
) -> Result<(Vec<Policy>, Vec<String>), String> {
    let (config, uses_claims) = (plan.config(), plan.ownership().needs_claims());
    let ownership = &config.host_ownership;
    if !denies(plan, HOST_RULE) {
        return Err(format!("{HOST_RULE} does not deny under this configuration"));
    }
    if ownership.hosts.is_empty() && ownership.unlisted != Unlisted::Deny && !options.host_claims {
        return Err("hostOwnership has no entries".to_owned());
    }
    let entries = Entries::of(config);
    if entries.covering() > MAX_ENTRIES {
        let count = entries.covering();
        return Err(format!("hostOwnership has {count} entries for wildcards, and a policy holds {MAX_ENTRIES}"));
    }
    let exemptions = Exemptions::of(HOST_RULE, config, now);
    let mut left_out = exemptions.left_out.clone();
    left_out.extend(OF_EVERY_CONFIGURATION.iter().map(|text| (*text).to_owned()));
    if ownership.unlisted == Unlisted::FirstNamespace {
        left_out.push("hosts without an entry, which belong to the first namespace that serves them".to_owned());
    }
    left_out.push(format!("objects with more than {} hosts", most_hosts(entries.covering())));
    match (uses_claims, options.host_claims) {
        (_, true) => left_out.push(claims::left_out(&entries)),
        (true, false) => left_out
            .push("hosts of HostClaims, hosts that require one, and wildcards that cover hosts of entries".to_owned()),
        (false, false) => {}
    }
    let is_listed_only = ownership.unlisted == Unlisted::Deny && !uses_claims;
    let rules = Rules { exemptions: &exemptions, config, now };
    let mut policies = Vec::new();
    for subject in &SUBJECTS {
        if !ownership.hosts.is_empty() || is_listed_only {
            policies.push(policy(subject, &rules, by_entries(&entries, uses_claims, is_listed_only)));
        }
        if options.host_claims {
            policies.push(policy(subject, &rules, by_claims(&entries, config)));
        }
    }
    Ok((policies, left_out))
}

/// The first part of the name of a policy by entries, and of one by HostClaims.
const OF_ENTRIES: &str = "portcullis-host-ownership";
const OF_CLAIMS: &str = "portcullis-host-claims";

/// The names of all these policies.
pub(super) fn names() -> impl Iterator<Item = String> {
    let of = |subject: &HostFields| [OF_ENTRIES, OF_CLAIMS].map(|name| format!("{name}-{}", subject.name));
    SUBJECTS.iter().flat_map(of)
}

/// The data by which a policy decides, and the decision.
struct Decision {
    /// The first part of the name of the policy.
    name: &'static str,
    /// Whether it reads the HostGrants.
    reads_grants: bool,
    /// The data.
    data: Vec<(&'static str, String)>,
    /// The condition on a `host` that is decided about.
    is_decided: String,
    /// The maximum number of hosts of an object.
    most_hosts: usize,
    /// The last one is `denials`, a list of texts, for the new `hosts`.
    results: Vec<(&'static str, String)>,
}

/// By the entries of the configuration.
fn by_entries(entries: &Entries, uses_claims: bool, is_listed_only: bool) -> Decision {
    let unlisted = if is_listed_only { UNLISTED } else { "''" };
    // The HostClaim for a wildcard lets it cover hosts of others.
    let covering = if uses_claims { "[]" } else { COVERING };
    let denials = DENIALS.replace("$unlisted", unlisted) + "\n+ " + covering;
    Decision {
        name: OF_ENTRIES,
        reads_grants: false,
        data: vec![("owners", entries.owners()), ("covering", entries.covering_without_claims())],
        is_decided: "true".to_owned(),
        most_hosts: most_hosts(entries.covering()),
        results: vec![(
            "denials",
            denials.replace("$templates", TEMPLATES).replace("$covers", COVERS).replace("$allowed", ALLOWED),
        )],
    }
}

/// By the list of HostClaims, and by the entries for hosts that have none.
fn by_claims(entries: &Entries, config: &Config) -> Decision {
    Decision {
        name: OF_CLAIMS,
        reads_grants: true,
        data: claims::data(entries),
        is_decided: claims::is_decided(),
        most_hosts: claims::most_hosts_with_claims(entries),
        results: claims::denials(config),
    }
}

/// The claims that no policy denies under any configuration.
const OF_EVERY_CONFIGURATION: [&str; 5] = [
    "rules, routes and listeners without a host, which serve every host",
    "hosts that a route gets from the listeners of its parents",
    "hosts in annotations, such as server-alias",
    "answers to ACME challenges by routes with other parents than Gateways of other namespaces",
    "hosts of Ingresses without a dot or below ts.net, which may be those of devices in a network of Tailscale",
];

/// The maximum number of wildcards and of entries with placeholders, each of which is compared with each host.
const MAX_ENTRIES: usize = 250;

/// The parts of the policies that are the same for all kinds.
struct Rules<'r> {
    exemptions: &'r Exemptions,
    config: &'r Config,
    now: Timestamp,
}

fn policy(subject: &HostFields, rules: &Rules<'_>, decision: Decision) -> Policy {
    let Rules { exemptions, config, now } = *rules;
    let hosts = |object: &str| subject.hosts.replace('$', object);
    let (label, value) = ACME_SOLVER;
    let users = list(config.acme_solvers.users.iter().map(|user| user.as_str()));
    let solver = format!(
        "object.metadata.?labels[?'{label}'].orValue('') == '{value}' && ({OWN_PARENTS} || request.userInfo.username in {users}) && {}",
        subject.is_challenge
    );
    let of_object = [
        ("before", format!("oldObject == null ? [] : ({}).map(host, {PARSED})", hosts("oldObject"))),
        ("handedOver", handovers(config, now)),
        ("all", format!("({}).map(host, {PARSED})", hosts("object"))),
    ];
    let of_write = of_write(&[&*exemptions.writes, &[format!("({solver})")]].concat());
    let new = format!(
        "variables.isExempt || variables.all.size() > {} ? [] : variables.all.filter(host, {NEW} && {})",
        decision.most_hosts, decision.is_decided
    );
    Policy {
        name: format!("{}-{}", decision.name, subject.name),
        kinds: subject.kinds.to_vec(),
        reads_grants: decision.reads_grants,
        variables: of_write
            .into_iter()
            .chain(of_object)
            .chain(decision.data)
            .chain([("hosts", new)])
            .chain(decision.results)
            .collect(),
        message: "a host belongs to others [host/not-owned]",
    }
}

/// A list of the hosts that move between namespaces.
fn handovers(config: &Config, now: Timestamp) -> String {
    let valid = config.handovers.iter().filter(|handover| Expiry::validity(handover.expires, now) != Validity::Over);
    let elements = valid.map(|handover| {
        let host = Host::parse(&handover.host);
        let (exact, suffix) = match &host {
            Host::Wildcard(suffix) => (host.to_string(), format!(".{suffix}")),
            host => (host.to_string(), String::new()),
        };
        let [exact, suffix, from, to] = [&*exact, &*suffix, &*handover.from, &*handover.to].map(quoted);
        format!("{{\"host\": {exact}, \"suffix\": {suffix}, \"from\": {from}, \"to\": {to}}}")
    });
    braced('[', elements.collect(), ']')
}

/// Whether each parent of a route may be at a Gateway of its own namespace, which gets the certificate.
const OWN_PARENTS: &str = "(has(object.spec.parentRefs) && object.spec.parentRefs.size() > 0 && object.spec.parentRefs.all(parent, \
    parent.?kind.orValue('Gateway') == 'ListenerSet' || parent.?namespace.orValue(variables.ownNamespace) == variables.ownNamespace))";

/// Whether a host is new in the object, and not handed over.
const NEW: &str = "host != '' && !(host in variables.before) && !variables.handedOver.exists(own, variables.ownNamespace in [own.from, own.to] && \
    (own.host == '*' || own.host == host || own.suffix != '' && host.endsWith(own.suffix)))";

/// A host as the webhook reads it.
const PARSED: &str = "(host.endsWith('.') ? host.substring(0, host.size() - 1) : host).lowerAscii()";

/// The denial of each new host, as text. The entry for the host decides, otherwise the first one that covers it.
const DENIALS: &str = "\
variables.hosts.map(host,
  host in variables.owners
    ? (variables.owners[host] == '' ? '' : 'host ' + host + ' belongs to ' + variables.owners[host] + ' [host/not-owned]')
    : variables.covering.exists(entry, $covers)
    ? [variables.covering.filter(entry, $covers)[0]].map(entry, $allowed)[0]
    : $unlisted
).filter(denial, denial != '')";

/// The denial of each new wildcard that covers hosts of others, unless an entry is for exactly this wildcard.
const COVERING: &str = "\
variables.hosts.filter(host, host.startsWith('*.') && !(host in variables.owners)
    && (variables.owners.exists(other, other.endsWith(host.substring(1)) && variables.owners[other] != '')
      || variables.covering.exists(entry, $templates))
).map(host, 'host ' + host + ' covers a host, which belongs to others [host/not-owned]')";
