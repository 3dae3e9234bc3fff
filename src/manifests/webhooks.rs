//! The webhook configurations: which writes the API server sends for review, and what it does if no replica answers.

use super::rules;
use portcullis_core::config::CERT_MANAGER;
use portcullis_core::kinds::{Kind, WebhookGroup, WebhookSupport};
use portcullis_core::matching::mark::ACME_SOLVER;

/// The text of `manifests/webhooks/validating.yaml`. It has an entry for creations and updates of each group of kinds,
/// two entries for deletions, one for what cert-manager creates to answer ACME challenges, and one for the configuration.
pub fn validating() -> String {
    let entries: String = Validating::all().enumerate().map(Validating::render).collect();
    format!("{VALIDATING_HEAD}{entries}{CONFIGURATION}")
}

/// The names of the entries that may have `failurePolicy: Fail`, such as `ingresses.portcullis.dev`. They are the same in every
/// release.
pub fn enforced_entries() -> impl Iterator<Item = String> {
    Validating::all().filter(Validating::is_enforced).map(|entry| entry.full_name())
}

/// The names of all entries of the ValidatingWebhookConfiguration.
pub fn validating_entries() -> impl Iterator<Item = String> {
    Validating::all().map(|entry| entry.full_name()).chain([format!("{CONFIGURATION_NAME}.portcullis.dev")])
}

/// The name of the entry for creations and updates of Ingresses.
pub fn ingress_entry() -> String {
    Validating::changes(WebhookGroup::Ingresses).full_name()
}

const VALIDATING_HEAD: &str = r#"# Printed by `portcullis manifests validating`. Every default of the API is written out, so that the stored object equals
# this file and a difference is a change. The caBundle is left out: Portcullis or cert-manager adds it later, and
# applying this file again does not remove it.
# As long as no replica answers, every write is allowed (`Ignore`). `serve --enforce` and `portcullis arm` set `Fail` for creations and
# updates of objects that serve traffic, once every replica answers. Deletions are never denied and wait one second at most, and
# cert-manager may always create what answers an ACME challenge, as may you the configuration (the last four entries).
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: portcullis
  annotations:
    # AKS would rewrite the selectors otherwise.
    admissions.enforcer/disabled: "true"
webhooks:
"#;

/// The name of the entry for the configuration of Portcullis itself.
const CONFIGURATION_NAME: &str = "configuration";

/// The entry with this name. No other one sends objects of the namespace of Portcullis.
const CONFIGURATION: &str = "\
# The configuration of Portcullis: an invalid version gets warnings with lines and columns, and is never denied.
- name: configuration.portcullis.dev
  rules:
  - apiGroups: ['']
    apiVersions: [v1]
    resources: [configmaps]
    operations: [CREATE, UPDATE]
    scope: Namespaced
  clientConfig:
    service: {namespace: portcullis, name: portcullis, path: /validate, port: 443}
  failurePolicy: Ignore
  matchPolicy: Equivalent
  matchConditions:
  - name: is-the-configuration
    expression: object.metadata.?name.orValue('') == 'portcullis'
  namespaceSelector:
    matchLabels: {kubernetes.io/metadata.name: portcullis}
  objectSelector: {}
  sideEffects: None
  timeoutSeconds: 1
  admissionReviewVersions: [v1]
";

/// An entry of the ValidatingWebhookConfiguration.
struct Validating {
    comment: &'static str,
    name: &'static str,
    kinds: Vec<Kind>,
    writes: Writes,
}

/// The writes for which an entry is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writes {
    /// Creations and updates.
    Changes,
    /// Creations and updates by cert-manager of what answers ACME challenges.
    Solvers,
    /// Deletions.
    Deletions,
}

impl Validating {
    /// All entries, in the order of the file.
    fn all() -> impl Iterator<Item = Self> {
        use WebhookGroup::{Delegations, GatewayClasses, Gateways, IngressClasses, Ingresses};
        let changes = [Ingresses, IngressClasses, Gateways, Delegations, GatewayClasses].map(Self::changes);
        changes.into_iter().chain([Self::deletions(true), Self::deletions(false), Self::solvers()])
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
        Self { comment, name, kinds: kinds(|admission| admission.entry == entry), writes: Writes::Changes }
    }

    /// The entry for deletions of namespaced or of cluster-scoped kinds.
    fn deletions(namespaced: bool) -> Self {
        let mut kinds = kinds(|admission| admission.deletions);
        kinds.retain(|kind| kind.api().namespaced == namespaced);
        let (name, comment) = if namespaced { ("deletions", DELETIONS) } else { ("class-deletions", "") };
        Self { comment, name, kinds, writes: Writes::Deletions }
    }

    /// The entry for what cert-manager creates to answer ACME challenges. It is in the namespaces of tenants.
    fn solvers() -> Self {
        let kinds = kinds(|admission| admission.solvers);
        Self { comment: SOLVERS, name: "solvers", kinds, writes: Writes::Solvers }
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
    /// starts, certificates must be renewed, and deletions are never denied.
    fn is_enforced(&self) -> bool {
        self.is_namespaced() && self.writes == Writes::Changes
    }

    /// The `matchConditions` as text. The first entry defines the conditions that the others refer to.
    fn conditions(&self, position: usize) -> String {
        let has_solvers = self.kinds.iter().any(|kind| kind.admission().is_some_and(|admission| admission.solvers));
        match (self.writes, position) {
            (Writes::Deletions, _) => String::new(),
            (Writes::Changes, 0) => format!("{CHANGES}{NO_SOLVERS}      !({})\n", is_solver("      ")),
            (Writes::Changes, _) if has_solvers => "  matchConditions: [*changes, *no-solvers]\n".to_owned(),
            (Writes::Changes, _) => "  matchConditions: [*changes]\n".to_owned(),
            (Writes::Solvers, _) => format!("{ONLY_SOLVERS}      {}\n", is_solver("      ")),
        }
    }

    /// The entry as text.
    fn render((position, entry): (usize, Self)) -> String {
        let namespaced = entry.is_namespaced();
        let is_deletion = entry.writes == Writes::Deletions;
        let operations = if is_deletion { "DELETE" } else { "CREATE, UPDATE" };
        format!(
            "{comment}- name: {name}\n  rules:\n{rules}  clientConfig:\n    service: {{namespace: portcullis, name: portcullis, \
             path: /validate, port: 443}}\n  failurePolicy: Ignore\n  matchPolicy: Equivalent\n{conditions}{note}{selector}  objectSelector: {{}}\n  \
             sideEffects: None\n  timeoutSeconds: {timeout}\n  admissionReviewVersions: [v1]\n",
            comment = entry.comment,
            name = entry.full_name(),
            rules = rules::webhook(&entry.kinds, operations),
            conditions = entry.conditions(position),
            note = if position == 0 { NAMESPACES } else { "" },
            selector = if namespaced { SELECTOR } else { "  namespaceSelector: {}\n" },
            timeout = if is_deletion { 1 } else { 5 },
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
const SOLVERS: &str = "\
# What the first entries leave out: cert-manager answers HTTP-01 challenges in the namespaces of tenants, and must be able to renew a
# certificate while Portcullis is down. This entry never has `Fail`.
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
  matchConditions:
  - &changes
    name: spec-labels-or-annotations-change
    expression: >-
      request.operation != 'UPDATE' || object.?spec != oldObject.?spec
      || object.metadata.?labels != oldObject.metadata.?labels
      || object.metadata.?annotations != oldObject.metadata.?annotations
";
const NO_SOLVERS: &str = "  # What cert-manager creates to answer an ACME challenge is sent by the entry `solvers`. The label alone would not do, as a tenant
  # may set it.
  - &no-solvers
    name: not-a-solver-of-cert-manager
    expression: >-
";
const ONLY_SOLVERS: &str = "  matchConditions:
  - *changes
  - name: solver-of-cert-manager
    expression: >-
";

/// Whether the object answers an ACME challenge, and cert-manager creates or changes it: an expression of CEL, on lines that begin
/// like this after the first one.
fn is_solver(indent: &str) -> String {
    let (label, value) = ACME_SOLVER;
    let kinds = kinds(|admission| admission.solvers);
    let kinds: Vec<String> = kinds.iter().map(|kind| format!("'{}'", kind.api().plural)).collect();
    format!(
        "request.userInfo.username == '{CERT_MANAGER}'\n{indent}&& request.resource.resource in \
         [{}]\n{indent}&& object.metadata.?labels[?'{label}'].orValue('') == '{value}'",
        kinds.join(", ")
    )
}

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
