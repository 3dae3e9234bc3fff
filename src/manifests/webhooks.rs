//! The webhook configurations: which writes the API server sends for review, and what it does if no replica answers.

use super::rules;
use portcullis_core::kinds::{Kind, WebhookGroup, WebhookSupport};

/// The text of `manifests/webhooks/validating.yaml`. It has an entry for creations and updates of each group of kinds,
/// and two entries for deletions.
pub fn validating() -> String {
    let entries: String = Validating::all().enumerate().map(Validating::render).collect();
    format!("{VALIDATING_HEAD}{entries}")
}

/// The names of the entries that may have `failurePolicy: Fail`, such as `ingresses.portcullis.dev`. They are the same in every
/// release.
pub fn enforced_entries() -> impl Iterator<Item = String> {
    Validating::all().filter(Validating::is_enforced).map(|entry| entry.full_name())
}

/// The name of the entry for creations and updates of Ingresses.
pub fn ingress_entry() -> String {
    Validating::changes(WebhookGroup::Ingresses).full_name()
}

const VALIDATING_HEAD: &str = r#"# Printed by `portcullis manifests validating`. Every default of the API is written out, so that the stored object equals
# this file and a difference is a change. The caBundle is left out: Portcullis or cert-manager adds it later, and
# applying this file again does not remove it.
# As long as no replica answers, every write is allowed (`Ignore`). `serve --enforce` and `portcullis arm` set `Fail` for creations and
# updates of objects that serve traffic, once every replica answers. Deletions are never denied and wait one second at most (the last
# two entries).
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
    /// All entries, in the order of the file.
    fn all() -> impl Iterator<Item = Self> {
        use WebhookGroup::{Delegations, GatewayClasses, Gateways, IngressClasses, Ingresses};
        let changes = [Ingresses, IngressClasses, Gateways, Delegations, GatewayClasses].map(Self::changes);
        changes.into_iter().chain([Self::deletions(true), Self::deletions(false)])
    }

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

    /// The entry for deletions of namespaced or of cluster-scoped kinds.
    fn deletions(namespaced: bool) -> Self {
        let mut kinds = kinds(|admission| admission.deletions);
        kinds.retain(|kind| kind.api().namespaced == namespaced);
        let (name, comment) = if namespaced { ("deletions", DELETIONS) } else { ("class-deletions", "") };
        Self { comment, name, kinds, deletions: true }
    }

    /// The name in the configuration.
    fn full_name(&self) -> String {
        format!("{}.portcullis.dev", self.name)
    }

    /// Whether its rules concern objects in namespaces.
    fn is_namespaced(&self) -> bool {
        self.kinds.iter().all(|kind| kind.api().namespaced)
    }

    /// Whether an installation that enforces denies writes while no replica answers. Classes must be writable while a cluster
    /// starts, and deletions are never denied.
    fn is_enforced(&self) -> bool {
        self.is_namespaced() && !self.deletions
    }

    /// The entry as text. The first entry defines the condition that the others refer to.
    fn render((position, entry): (usize, Self)) -> String {
        let namespaced = entry.is_namespaced();
        let operations = if entry.deletions { "DELETE" } else { "CREATE, UPDATE" };
        let conditions = match (entry.deletions, position) {
            (true, _) => "",
            (false, 0) => CHANGES,
            (false, _) => "  matchConditions: *changes\n",
        };
        format!(
            "{comment}- name: {name}\n  rules:\n{rules}  clientConfig:\n    service: {{namespace: portcullis, name: portcullis, \
             path: /validate, port: 443}}\n  failurePolicy: Ignore\n  matchPolicy: Equivalent\n{conditions}{note}{selector}  objectSelector: {{}}\n  \
             sideEffects: None\n  timeoutSeconds: {timeout}\n  admissionReviewVersions: [v1]\n",
            comment = entry.comment,
            name = entry.full_name(),
            rules = rules::webhook(&entry.kinds, operations),
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

/// The text of `manifests/webhooks/mutating.yaml`, which has one entry, for creations.
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

/// The kinds whose admission satisfies `wanted`.
fn kinds(wanted: impl Fn(WebhookSupport) -> bool) -> Vec<Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.admission().is_some_and(&wanted)).collect()
}
