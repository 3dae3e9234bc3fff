//! ValidatingAdmissionPolicies for host ownership: what the API server denies by itself, also while no replica answers.
//!
//! `entries` says what the configuration decides, `claims` what HostClaims decide, as expressions of `cel`. They never deny what
//! `host/not-owned` would admit, but for HostClaims of the last second. What they cannot know, they admit: hosts that a route gets from
//! listeners, rules without a host, and annotations.

mod cel;
mod claims;
mod entries;

use jiff::Timestamp;
use portcullis_core::checks::Plan;
use portcullis_core::config::{Config, Expiry, Match, Theme, Unlisted, Validity};
use portcullis_core::finding::Action;
use portcullis_core::kinds::Kind;
use portcullis_core::matching::Host;
use portcullis_core::matching::mark::ACME_SOLVER;

use self::cel::{any, list, matches, quoted};
pub use self::claims::HOST_GRANTS;
use self::entries::{Entries, most_hosts};
use super::rules;

/// The check whose denials the policies repeat.
const CHECK: &str = "host/not-owned";

/// The policies, and what they leave to the webhook.
#[derive(Debug)]
pub struct Policies {
    /// ValidatingAdmissionPolicies and their bindings, as YAML documents.
    pub yaml: String,
    /// What the webhook denies beyond that, each as a sentence.
    pub left_out: Vec<String>,
}

/// Kinds that name their hosts in the same fields.
struct Subject {
    /// The last part of the name of the policy.
    name: &'static str,
    kinds: &'static [Kind],
    /// The hosts of an object, in the place of `$`.
    hosts: &'static str,
    /// Whether `object` has only paths of ACME challenges.
    is_challenge: &'static str,
}

const SUBJECTS: [Subject; 4] = [
    Subject {
        name: "ingresses",
        kinds: &[Kind::Ingress],
        hosts: "($.?spec.?rules.orValue([]).map(rule, rule.?host.orValue('')) + \
                $.?spec.?tls.orValue([]).map(tls, tls.?hosts.orValue([]).join(',')).join(',').split(','))\
                .filter(host, host.contains('.') && !host.endsWith('.ts.net'))",
        is_challenge: "object.?spec.?rules.orValue([]).all(rule, rule.?http.?paths.orValue([]).all(path, \
            path.?path.orValue('').startsWith('/.well-known/acme-challenge/')))",
    },
    Subject {
        name: "routes",
        kinds: &[Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute],
        hosts: "$.?spec.?hostnames.orValue([])",
        is_challenge: "object.?spec.?rules.orValue([]).all(rule, rule.?matches.orValue([]).size() > 0 && \
            rule.matches.all(match, match.?path.?value.orValue('').startsWith('/.well-known/acme-challenge/')))",
    },
    Subject {
        name: "listeners",
        kinds: &[Kind::Gateway, Kind::ListenerSet],
        hosts: "$.?spec.?listeners.orValue([]).map(listener, listener.?hostname.orValue(''))",
        is_challenge: "false",
    },
    Subject {
        name: "delegations",
        kinds: &[Kind::IngressRoute, Kind::HttpProxy],
        hosts: "[$.?spec.?virtualhost.?fqdn.orValue('')]",
        is_challenge: "false",
    },
];

/// Which writes the policies are for, and by what they decide.
#[derive(Debug)]
pub struct PolicyOptions<'o> {
    /// The namespaces that they leave out, beside kube-system.
    pub exempt_namespaces: &'o [String],
    /// Whether HostClaims decide, too, by the HostGrants that the controller keeps; otherwise they are left to the webhook.
    pub host_claims: bool,
}

/// The policies for the ownership that a configuration defines. Fails if it does not deny claims of hosts that others own, or has more
/// entries than a policy can hold.
pub fn policies(plan: &Plan, options: &PolicyOptions<'_>, now: Timestamp) -> Result<Policies, String> {
    let denies = plan.checks().any(|(check, action)| check.id == CHECK && action == Action::Deny);
    let (config, uses_claims) = (plan.config(), plan.ownership().needs_claims());
    let ownership = &config.host_ownership;
    if !denies {
        return Err(format!("{CHECK} does not deny under this configuration, so nothing is exported"));
    }
    if options.host_claims && !uses_claims {
        return Err("hostOwnership does not use HostClaims: leave out --host-claims".to_owned());
    }
    if ownership.hosts.is_empty() && ownership.unlisted != Unlisted::Deny && !options.host_claims {
        return Err("hostOwnership has no entries, so nothing is exported".to_owned());
    }
    let entries = Entries::of(config);
    let texts = [entries.owners(), entries.closed(), entries.open()];
    if texts.iter().any(|text| text.len() > MAX_EXPRESSION) || entries.covering() > MAX_ENTRIES {
        return Err(format!(
            "hostOwnership has {} entries for wildcards, and a policy holds {MAX_ENTRIES}, or its text is longer than an expression may be",
            entries.covering()
        ));
    }
    let (exemptions, of_exemptions) = exemptions(config, now);
    let mut left_out = of_exemptions;
    left_out.extend(OF_EVERY_CONFIGURATION.iter().map(|text| (*text).to_owned()));
    if ownership.unlisted == Unlisted::FirstNamespace {
        left_out.push("hosts without an entry, which belong to the first namespace that serves them".to_owned());
    }
    left_out.push(format!("objects with more than {} hosts", most_hosts(entries.covering())));
    match (uses_claims, options.host_claims) {
        (_, true) => left_out.push(format!(
            "hosts of HostClaims in objects with more than {} hosts",
            claims::most_hosts_with_claims(&entries)
        )),
        (true, false) => {
            left_out.push(
                "hosts of HostClaims, hosts that require one, and wildcards that cover hosts of entries".to_owned(),
            );
        }
        (false, false) => {}
    }
    let is_listed_only = ownership.unlisted == Unlisted::Deny && !uses_claims;
    let rules = Rules { exemptions: &exemptions, options, config, now };
    let mut yaml = HEAD.to_owned() + &comments(&left_out);
    for subject in &SUBJECTS {
        if !ownership.hosts.is_empty() || is_listed_only {
            yaml += &policy(subject, &rules, &by_entries(&entries, uses_claims, is_listed_only));
        }
        if options.host_claims {
            yaml += &policy(subject, &rules, &by_claims(&entries, config));
        }
    }
    Ok(Policies { yaml, left_out })
}

/// By what a policy decides, and how.
struct Decision {
    /// The first part of the name of the policy.
    name: &'static str,
    /// Whether it reads the HostGrants.
    reads_grants: bool,
    /// The data.
    given: Vec<(&'static str, String)>,
    /// The condition on a `host` that is decided about.
    is_decided: String,
    /// The maximum number of hosts of an object.
    most_hosts: usize,
    /// The last one is `denials`, a list of texts, for the new `hosts`.
    derived: Vec<(&'static str, String)>,
}

/// By the entries of the configuration.
fn by_entries(entries: &Entries, uses_claims: bool, is_listed_only: bool) -> Decision {
    let unlisted = if is_listed_only { UNLISTED } else { "''" };
    // The HostClaim for a wildcard lets it cover hosts of others.
    let covering = if uses_claims { "[]" } else { COVERING };
    let denials = DENIALS.replace("$unlisted", unlisted) + "\n+ " + covering;
    Decision {
        name: "portcullis-host-ownership",
        reads_grants: false,
        given: vec![("owners", entries.owners()), ("covering", entries.closed())],
        is_decided: "true".to_owned(),
        most_hosts: most_hosts(entries.covering()),
        derived: vec![("denials", denials.replace("$covers", COVERS).replace("$allowed", ALLOWED))],
    }
}

/// By the list of HostClaims, and by the entries for hosts that have none.
fn by_claims(entries: &Entries, config: &Config) -> Decision {
    Decision {
        name: "portcullis-host-claims",
        reads_grants: true,
        given: claims::given(entries),
        is_decided: claims::is_decided(),
        most_hosts: claims::most_hosts_with_claims(entries),
        derived: claims::denials(config),
    }
}

/// What no policy guards, whatever the configuration.
const OF_EVERY_CONFIGURATION: [&str; 4] = [
    "rules, routes and listeners without a host, which serve every host",
    "hosts that a route gets from the listeners of its parents",
    "hosts in annotations, such as server-alias",
    "hosts of Ingresses without a dot or below ts.net, which may be those of devices in a network of Tailscale",
];

const HEAD: &str = "\
# Printed by `portcullis export policies`: print and apply them again after each change of the configuration. The API server applies them
# before it calls the webhooks, also while no replica answers.
";

fn comments(left_out: &[String]) -> String {
    let lines: String = left_out.iter().map(|text| format!("# - {text}\n")).collect();
    format!("# They admit what only the webhook denies:\n{lines}")
}

/// The writes to which the check does not apply as an expression, and which of them the policies do not limit as exactly.
fn exemptions(config: &Config, now: Timestamp) -> (Vec<String>, Vec<String>) {
    let (mut expressions, mut left_out) = (Vec::new(), Vec::new());
    let mut add = |written: &Match, what: String| {
        let (expression, is_wider) = matches(written);
        expressions.push(expression);
        if is_wider {
            left_out.push(format!("{what}, regardless of `ingressClasses` and `extra`"));
        }
    };
    let applies = |pattern: &str| [CHECK, "host/*", "*"].contains(&pattern);
    for (position, exemption) in config.exemptions.iter().enumerate() {
        let is_of_check = exemption.checks.iter().any(|pattern| applies(pattern));
        if is_of_check && Expiry::validity(exemption.expires, now) != Validity::Over {
            add(&exemption.only, format!("writes that exemptions[{position}] selects"));
        }
    }
    for (position, layer) in config.overrides.iter().enumerate() {
        let of_check = layer.checks.iter().filter(|(pattern, _)| applies(pattern));
        let lowers = of_check.clone().any(|(_, setting)| setting.action != Some(Action::Deny));
        let theme = layer.themes.iter().any(|(theme, action)| theme.value == Theme::Tenancy && *action != Action::Deny);
        if lowers || theme || layer.profile.is_some() || layer.max_action.is_some() {
            add(&layer.only, format!("writes that overrides[{position}] selects"));
        }
    }
    for (pattern, setting) in config.checks.iter().filter(|(pattern, _)| applies(pattern)) {
        if let Some(only) = setting.only.as_ref().filter(|_| setting.action != Some(Action::Deny)) {
            add(only, format!("writes that the match of {} selects", pattern.as_str()));
        }
    }
    if let Some(label) = &config.namespace_profile_label {
        expressions.push(format!("({} in variables.labels)", quoted(label)));
        left_out.push(format!("namespaces with the label {}, which choose a profile", label.as_str()));
    }
    (expressions, left_out)
}

/// The maximum number of characters of a variable, below the 100,000 that an expression may have.
const MAX_EXPRESSION: usize = 90_000;
/// The maximum number of wildcards and of entries with placeholders, each of which is compared with each host.
const MAX_ENTRIES: usize = 250;
/// What the policies say, whatever the kind.
struct Rules<'r> {
    exemptions: &'r [String],
    options: &'r PolicyOptions<'r>,
    config: &'r Config,
    now: Timestamp,
}

/// A policy with its binding.
fn policy(subject: &Subject, rules: &Rules<'_>, decision: &Decision) -> String {
    let Rules { exemptions, options, config, now } = *rules;
    let name = format!("{}-{}", decision.name, subject.name);
    let hosts = |object: &str| subject.hosts.replace('$', object);
    let (label, value) = ACME_SOLVER;
    let users = list(config.acme_solvers.users.iter().map(|user| user.as_str()));
    let solver = format!(
        "object.metadata.?labels[?'{label}'].orValue('') == '{value}' && ({OWN_PARENTS} || request.userInfo.username in {users}) && {}",
        subject.is_challenge
    );
    let namespaces = ["kube-system"].into_iter().chain(options.exempt_namespaces.iter().map(String::as_str));
    let namespaces: Vec<&str> = namespaces.collect();
    let namespaces = namespaces.join(", ");
    let of_object = [
        ("labels", "namespaceObject.metadata.?labels.orValue({})".to_owned()),
        ("isExempt", any([exemptions, &[format!("({solver})")]].concat())),
        ("before", format!("oldObject == null ? [] : ({}).map(host, host.lowerAscii())", hosts("oldObject"))),
        ("handedOver", handovers(config, now)),
        ("all", format!("({}).map(host, host.lowerAscii())", hosts("object"))),
    ];
    let new = format!(
        "variables.isExempt || variables.all.size() > {} ? [] : variables.all.filter(host, {NEW} && {})",
        decision.most_hosts, decision.is_decided
    );
    let variables = of_object.iter().chain(&decision.given).cloned().chain([("hosts", new)]);
    let variables: String = variables
        .chain(decision.derived.iter().cloned())
        .map(|(name, expression)| block("  - name: ", name, &expression))
        .collect();
    let [kind, _, granted] = HOST_GRANTS;
    // Without the kind or the object, such a policy does nothing.
    let (failure_policy, parameters, reference) = match decision.reads_grants {
        false => ("Fail", String::new(), String::new()),
        true => (
            "Ignore",
            format!("  paramKind: {{apiVersion: portcullis.dev/v1alpha1, kind: {kind}}}\n"),
            format!("  paramRef: {{name: {granted}, parameterNotFoundAction: Allow}}\n"),
        ),
    };
    let rules = rules::webhook(subject.kinds, "CREATE, UPDATE").replace("\n  ", "\n    ");
    format!(
        "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata:\n  name: {name}\nspec:\n  \
         failurePolicy: {failure_policy}\n{parameters}  matchConstraints:\n    matchPolicy: Equivalent\n    namespaceSelector:\n      \
         matchExpressions:\n      - {{key: kubernetes.io/metadata.name, operator: NotIn, values: [{namespaces}]}}\n    resourceRules:\n  \
         {rules}  variables:\n{variables}  validations:\n  - expression: variables.denials.size() == 0\n    messageExpression: \
         \"variables.denials.join('; ')\"\n    message: a host belongs to others [{CHECK}]\n    reason: Forbidden\n---\n\
         apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata:\n  name: {name}\nspec:\n  \
         policyName: {name}\n{reference}  validationActions: [Deny]\n"
    )
}

/// An element of a list in YAML with a name and an expression.
fn block(head: &str, name: &str, expression: &str) -> String {
    let lines: String = expression.lines().map(|line| format!("      {line}\n")).collect();
    format!("{head}{name}\n    expression: >-\n{lines}")
}

/// The hosts that move between namespaces, one of which is that of the object, as suffixes and names.
fn handovers(config: &Config, now: Timestamp) -> String {
    let valid = config.handovers.iter().filter(|handover| Expiry::validity(handover.expires, now) != Validity::Over);
    let lists = valid.map(|handover| {
        let host = Host::parse(&handover.host);
        let (exact, suffix) = match &host {
            Host::Wildcard(suffix) => (host.to_string(), format!(".{suffix}")),
            host => (host.to_string(), String::new()),
        };
        let parties = list([&*handover.from, &*handover.to]);
        format!(
            "(request.namespace in {parties} ? [{{\"host\": {}, \"suffix\": {}}}] : [])",
            quoted(&exact),
            quoted(&suffix)
        )
    });
    let lists: Vec<String> = lists.collect();
    if lists.is_empty() { "[]".to_owned() } else { lists.join("\n+ ") }
}

/// Whether each parent of a route may be at a Gateway of its own namespace, which gets the certificate.
const OWN_PARENTS: &str = "(has(object.spec.parentRefs) && object.spec.parentRefs.size() > 0 && object.spec.parentRefs.all(parent, \
    parent.?kind.orValue('Gateway') == 'ListenerSet' || parent.?namespace.orValue(request.namespace) == request.namespace))";

/// Whether a host is new in the object, and not handed over.
const NEW: &str = "host != '' && !(host in variables.before) && !variables.handedOver.exists(own, own.host == '*' || own.host == host || own.suffix != '' && \
    host.endsWith(own.suffix))";

/// The denial of a host that nothing covers, if only listed hosts may be claimed.
const UNLISTED: &str =
    "'host ' + host + ' is not listed, and only listed hosts may be claimed: ask the platform team [host/not-owned]'";

/// Whether an entry covers a host.
const COVERS: &str = "host.endsWith(entry.suffix) && (entry.pattern == '' || host.matches(entry.pattern))";

/// The denial of a host under an entry, or nothing.
const ALLOWED: &str = "\
(entry.by == '' ? ''
    : entry.pattern == '' ? 'host ' + host + ' is under ' + entry.host + ', which belongs to ' + entry.by + ' [host/not-owned]'
    : entry.own != '' && (host == entry.own || entry.own.startsWith('*.') && host.endsWith(entry.own.substring(1))) ? ''
    : 'host ' + host + ' is not allowed here under ' + entry.host
      + (entry.own == '' ? '' : '; this namespace may use ' + entry.own) + ' [host/not-owned]')";

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
    && variables.owners.exists(other, other.endsWith(host.substring(1)) && variables.owners[other] != '')
).map(host, 'host ' + host + ' covers a host, which belongs to others [host/not-owned]')";
