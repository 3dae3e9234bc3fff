//! A policy with its binding as YAML.

use portcullis_core::kinds::Kind;
use portcullis_core::review::canary::ANNOTATION as CANARY;

use super::cel::{any, list};
use super::claims::HostGrants;
use crate::manifests::rules;

/// The variables about the write as a whole. `exemptions` are conditions, one of which exempts it. An object of a cluster-scoped kind has no
/// namespace, and the write with which enforcement is proven is never stored.
pub(super) fn of_write(exemptions: &[String]) -> Vec<(&'static str, String)> {
    let canary = format!("request.?dryRun.orValue(false) && '{CANARY}' in object.metadata.?annotations.orValue({{}})");
    vec![
        ("ownNamespace", "request.?namespace.orValue('')".to_owned()),
        ("labels", "namespaceObject == null ? {} : namespaceObject.metadata.?labels.orValue({})".to_owned()),
        ("isExempt", any([exemptions, &[format!("({canary})")]].concat())),
    ]
}

/// The labels by which all policies and bindings are found.
const LABELS: &str = "{app.kubernetes.io/managed-by: portcullis, app.kubernetes.io/component: policies}";

/// A policy, which denies what its variable `denials`, a list of texts, names.
pub(super) struct Policy {
    /// Its name and that of its binding.
    pub name: String,
    /// The kinds that it is for.
    pub kinds: Vec<Kind>,
    /// Whether it has the HostGrants as parameter.
    pub reads_grants: bool,
    /// The variables in the order in which they are evaluated.
    pub variables: Vec<(&'static str, String)>,
    /// What is said if the denials have no text.
    pub message: &'static str,
}

impl Policy {
    /// The policy and its binding as documents. It leaves out writes in the namespaces `exempt`.
    pub(super) fn yaml(&self, exempt: &[String]) -> String {
        let Self { name, kinds, reads_grants, variables, message } = self;
        let exempt = ["kube-system"].into_iter().chain(exempt.iter().map(String::as_str));
        let exempt = list(exempt);
        let (kind, granted) = (HostGrants::KIND, HostGrants::NAME);
        // Without the kind or the object, such a policy does nothing.
        let (parameters, reference) = match reads_grants {
            false => (String::new(), String::new()),
            true => (
                format!("  paramKind: {{apiVersion: portcullis.dev/v1alpha1, kind: {kind}}}\n"),
                format!("  paramRef: {{name: {granted}, parameterNotFoundAction: Allow}}\n"),
            ),
        };
        let variables: String = variables.iter().map(|(name, expression)| variable(name, expression)).collect();
        let rules = rules::webhook(kinds, "CREATE, UPDATE").replace("\n  ", "\n    ");
        format!(
            "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata:\n  name: {name}\n  labels: {LABELS}\nspec:\n  \
             failurePolicy: Ignore\n{parameters}  matchConstraints:\n    matchPolicy: Equivalent\n    namespaceSelector:\n      \
             matchExpressions:\n      - {{key: kubernetes.io/metadata.name, operator: NotIn, values: {exempt}}}\n    resourceRules:\n  \
             {rules}  variables:\n{variables}  validations:\n  - expression: variables.denials.size() == 0\n    messageExpression: \
             \"variables.denials.join('; ')\"\n    message: {message}\n    reason: Forbidden\n---\n\
             apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata:\n  name: {name}\n  labels: {LABELS}\nspec:\n  \
             policyName: {name}\n{reference}  validationActions: [Deny]\n"
        )
    }
}

/// An element of the list of variables.
fn variable(name: &str, expression: &str) -> String {
    let lines: String = expression.lines().map(|line| format!("      {line}\n")).collect();
    format!("  - name: {name}\n    expression: >-\n{lines}")
}
