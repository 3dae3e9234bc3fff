//! The webhook configurations: which writes the API server sends, and what it does if no replica answers.

use super::rules;
use portcullis_core::kinds::{Admission, Kind, WebhookGroup};

/// `manifests/webhooks/validating.yaml`. Creations and updates have an entry for each group of kinds, deletions two of their own.
pub fn validating() -> String {
    use WebhookGroup::{Delegations, GatewayClasses, Gateways, IngressClasses, Ingresses};
    let entries = [Ingresses, IngressClasses, Gateways, Delegations, GatewayClasses].map(Validating::changes);
    let deletions = [Validating::deletions(true), Validating::deletions(false)];
    let entries: String = entries.into_iter().chain(deletions).enumerate().map(Validating::render).collect();
    format!("{VALIDATING_HEAD}{entries}")
}

const VALIDATING_HEAD: &str = r#"# Printed by `portcullis manifests validating`. Every default of the API is written out, so that the stored object equals
# this file and a difference is a change.
# Creations and updates of objects that serve traffic wait for Portcullis (`Fail`), those of classes do not (`Ignore`).
# Deletions are never denied and wait one second at most (the last two entries).
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: portcullis
  annotations:
    # AKS would rewrite the selectors otherwise.
    admissions.enforcer/disabled: "true"
webhooks:
"#;

/// An entry of the ValidatingWebhookConfiguration.
struct Validating {
    comment: &'static str,
    name: &'static str,
    kinds: Vec<Kind>,
    deletions: bool,
}

impl Validating {
    /// The entry for creations and updates of the kinds of `entry`.
    fn changes(entry: WebhookGroup) -> Self {
        let (name, comment) = match entry {
            WebhookGroup::Ingresses => ("ingresses", ""),
            WebhookGroup::IngressClasses => ("ingressclasses", CLASSES),
            WebhookGroup::Gateways => ("gateways", GATEWAYS),
            WebhookGroup::Delegations => ("delegations", ""),
            WebhookGroup::GatewayClasses => ("gatewayclasses", ""),
        };
        Self { comment, name, kinds: kinds(|admission| admission.entry == entry), deletions: false }
    }

    /// The entry for deletions of kinds with or without namespaces.
    fn deletions(namespaced: bool) -> Self {
        let mut kinds = kinds(|admission| admission.deletions);
        kinds.retain(|kind| kind.api().namespaced == namespaced);
        let (name, comment) = if namespaced { ("deletions", DELETIONS) } else { ("class-deletions", "") };
        Self { comment, name, kinds, deletions: true }
    }

    /// The entry as text; the first one defines the condition that the others refer to.
    fn render((position, entry): (usize, Self)) -> String {
        let namespaced = entry.kinds.iter().all(|kind| kind.api().namespaced);
        let operations = if entry.deletions { "DELETE" } else { "CREATE, UPDATE" };
        let conditions = match (entry.deletions, position) {
            (true, _) => "",
            (false, 0) => CHANGES,
            (false, _) => "  matchConditions: *changes\n",
        };
        format!(
            "{comment}- name: {name}.portcullis.dev\n  rules:\n{rules}  clientConfig:\n    service: {{namespace: portcullis, name: portcullis, \
             path: /validate, port: 443}}\n  failurePolicy: {policy}\n  matchPolicy: Equivalent\n{conditions}{note}{selector}  objectSelector: {{}}\n  \
             sideEffects: None\n  timeoutSeconds: {timeout}\n  admissionReviewVersions: [v1]\n",
            comment = entry.comment,
            name = entry.name,
            rules = rules::webhook(&entry.kinds, operations),
            policy = if namespaced && !entry.deletions { "Fail" } else { "Ignore" },
            note = if position == 0 { NAMESPACES } else { "" },
            selector = if namespaced { SELECTOR } else { "  namespaceSelector: {}\n" },
            timeout = if entry.deletions { 1 } else { 5 },
        )
    }
}

const CLASSES: &str = "\
# A separate entry, because a namespaceSelector does not apply to cluster-scoped kinds, and a cluster that is starting must be able
# to write its classes.
";
const GATEWAYS: &str = "\
# The API server ignores rules for kinds and versions that it does not serve, so this list fits every release of the CRDs.
";
const DELETIONS: &str = "\
# A deletion gets a warning if other objects still refer to the object; it is never denied.
";
const NAMESPACES: &str = "  # By name, which is unique, not by a label that a tenant may set. Add the namespaces that must work while Portcullis
  # is down.
";
const SELECTOR: &str = "  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: [kube-system, portcullis]
";
const CHANGES: &str = "  # An update that does not change spec, labels or annotations is not sent, so that a finalizer can be removed while
  # Portcullis is down. `?` reads a field that may be absent; two absent fields are equal.
  matchConditions: &changes
  - name: spec-labels-or-annotations-change
    expression: >-
      request.operation != 'UPDATE' || object.?spec != oldObject.?spec
      || object.metadata.?labels != oldObject.metadata.?labels
      || object.metadata.?annotations != oldObject.metadata.?annotations
";

/// `manifests/webhooks/mutating.yaml`: one entry for creations.
pub fn mutating() -> String {
    let rules = rules::webhook(&kinds(|admission| admission.defaults), "CREATE");
    format!(
        r#"# Printed by `portcullis manifests mutating`. The validating webhook checks what has no default, so this one never
# blocks a write. It is called before the schema is checked, so that it can fill in a class that the schema requires.
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: portcullis
  annotations:
    admissions.enforcer/disabled: "true"
webhooks:
- name: defaults.portcullis.dev
  rules:
{rules}  clientConfig:
    service: {{namespace: portcullis, name: portcullis, path: /mutate, port: 443}}
  failurePolicy: Ignore
  matchPolicy: Equivalent
{SELECTOR}  objectSelector: {{}}
  # Another webhook may remove a default; filling it in twice changes nothing.
  reinvocationPolicy: IfNeeded
  sideEffects: None
  timeoutSeconds: 5
  admissionReviewVersions: [v1]
"#
    )
}

/// The kinds whose admission is as `wanted`.
fn kinds(wanted: impl Fn(Admission) -> bool) -> Vec<Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.admission().is_some_and(&wanted)).collect()
}
