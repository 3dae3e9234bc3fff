//! ValidatingAdmissionPolicies: what the API server denies by itself, also while no replica answers.
//!
//! `hosts` has those for the ownership of hosts, by the entries of the configuration (`entries`) and by HostClaims (`claims`), `settings` those
//! for the options of other checks; `exemptions` says which writes they leave out, `policy` prints them, and `cel` has what their
//! expressions consist of. They never deny what the webhook would admit, but for HostClaims of the last seconds; they admit in every case that
//! they cannot decide.

mod cel;
mod claims;
mod entries;
mod exemptions;
mod hosts;
mod policy;
mod settings;

use jiff::Timestamp;
use portcullis_core::checks::Plan;
use portcullis_core::finding::Action;

pub use self::claims::HostGrants;
use self::policy::Policy;

/// The policies, and what they leave to the webhook.
#[derive(Debug)]
pub struct Policies {
    /// ValidatingAdmissionPolicies and their bindings, as YAML documents.
    pub yaml: String,
    /// What the webhook denies beyond that, in words.
    pub left_out: Vec<String>,
}

/// Which writes the policies are for, and by what they decide.
#[derive(Debug)]
pub struct PolicyOptions<'o> {
    /// The namespaces that they leave out, beside kube-system.
    pub exempt_namespaces: &'o [String],
    /// Whether HostClaims decide, too, by the HostGrants that the controller keeps; otherwise they are left to the webhook.
    pub host_claims: bool,
}

/// The policies for what a configuration denies by the ownership of hosts, by class, and for lack of labels and annotations. Fails if it
/// denies nothing of that, or if a policy would be too long.
pub fn policies(plan: &Plan, options: &PolicyOptions<'_>, now: Timestamp) -> Result<Policies, String> {
    if options.host_claims && !plan.ownership().needs_claims() {
        return Err("hostOwnership does not use HostClaims: leave out --host-claims".to_owned());
    }
    let (of_settings, mut left_out) = settings::policies(plan, now);
    let policies: Vec<Policy> = match hosts::policies(plan, options, now) {
        Ok((of_hosts, of_ownership)) => {
            left_out.splice(..0, of_ownership);
            of_settings.into_iter().chain(of_hosts).collect()
        }
        Err(reason) if of_settings.is_empty() => {
            return Err(format!(
                "nothing is exported: {reason}; `portcullis disarm --policies` unbinds the policies of an earlier export"
            ));
        }
        Err(reason) => {
            if plan.ownership().restricts() {
                left_out.insert(0, format!("the ownership of hosts: {reason}"));
            }
            of_settings
        }
    };
    for Policy { name, variables, .. } in &policies {
        if variables.iter().any(|(_, expression)| expression.len() > MAX_EXPRESSION) {
            let message = "is longer than the API server accepts: shorten the lists of the configuration";
            return Err(format!("an expression of policy {name} {message}"));
        }
    }
    let yaml: String = policies.iter().map(|policy| policy.yaml(options.exempt_namespaces)).collect();
    Ok(Policies { yaml: HEAD.to_owned() + &comments(&left_out) + &yaml, left_out })
}

/// The maximum number of characters of an expression, below the 100,000 that the API server accepts.
const MAX_EXPRESSION: usize = 90_000;

/// The names of all policies and of their bindings.
pub fn policy_names() -> impl Iterator<Item = String> {
    hosts::names().chain(settings::names().map(ToOwned::to_owned))
}

/// Whether a check denies, unless a write is an exception.
fn denies(plan: &Plan, id: &str) -> bool {
    plan.checks().any(|(check, action)| check.id == id && action == Action::Deny)
}

const HEAD: &str = "\
# Printed by `portcullis export policies`: print and apply them again after each change of the configuration. The API server applies them
# before it calls the webhooks, also while no replica answers.
";

fn comments(left_out: &[String]) -> String {
    let lines: String = left_out.iter().map(|text| format!("# - {text}\n")).collect();
    format!("# They admit what only the webhook denies:\n{lines}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use portcullis_core::checks::registry;

    use super::*;

    #[test]
    fn the_pages_of_these_checks_say_that_they_are_exported() {
        let exported: BTreeSet<&str> = settings::ids().chain(["host/not-owned"]).collect();
        let marked = registry::all().filter(|check| check.is_exported).map(|check| check.id);
        assert_eq!(marked.collect::<BTreeSet<_>>(), exported);
    }
}
