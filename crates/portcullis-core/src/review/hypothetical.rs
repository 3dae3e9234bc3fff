//! Whether a new object of a namespace could serve a host and a path.

use jiff::Timestamp;
use serde_json::json;

use crate::checks::{Before, Operation, Outcome, Plan, Write, registry};
use crate::cluster::{Cluster, Overlay, User};
use crate::config::Theme;
use crate::field::Segment;
use crate::finding::Finding;
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{Kind, ObjectRef, Partial};
use crate::names::HYPOTHETICAL_NAME;
use crate::routing::default_class;

/// The object that a namespace would create to serve a host and a path.
#[derive(Debug, Clone)]
pub struct HypotheticalObject {
    /// The namespace.
    pub namespace: String,
    /// The host.
    pub host: String,
    /// The path, of which the object serves everything below.
    pub path: String,
    /// Whether it serves them over HTTPS.
    pub is_secure: bool,
    /// The kind of the object.
    pub kind: HypotheticalKind,
}

/// The kind of a hypothetical object.
#[derive(Debug, Clone)]
pub enum HypotheticalKind {
    /// An Ingress of this class, or of the default class.
    Ingress(Option<String>),
    /// An HTTPRoute that is attached to this Gateway.
    HttpRoute(ObjectRef),
}

impl HypotheticalObject {
    /// The reference to the object.
    pub fn object_ref(&self) -> ObjectRef {
        let kind = match self.kind {
            HypotheticalKind::Ingress(_) => Kind::Ingress,
            HypotheticalKind::HttpRoute(_) => Kind::HttpRoute,
        };
        ObjectRef::new(kind, &self.namespace, HYPOTHETICAL_NAME)
    }

    /// Checks the creation of the object by `user`. Only what concerns the host, the path, the class and the Gateway is
    /// found, and for plain HTTP that HTTPS is required, since nothing else of the object is known.
    pub fn check(&self, plan: &Plan, cluster: &Cluster, user: Option<User<'_>>, now: Timestamp) -> Outcome {
        let (this, json) = (self.object_ref(), self.json());
        let (mut partial, overlay) = (Partial::read(this.kind, &json), Overlay::new(cluster, &this));
        default_class::settle_partial(&mut partial, this.kind, None, &overlay);
        let write = Write { operation: Operation::Create, this: &this, user, now };
        let (none, before) = (ManifestErrors::default(), Before::Incomparable);
        let mut outcome = plan.check_applied(&partial, &none, &before, &overlay, &write);
        outcome.findings.retain(|evaluated| concerns(&evaluated.finding, self.is_secure));
        outcome.omitted_findings.retain(|omitted| is_about_others(omitted.check));
        outcome
    }

    pub(super) fn json(&self) -> String {
        let metadata = json!({"namespace": self.namespace, "name": HYPOTHETICAL_NAME});
        let spec = match &self.kind {
            HypotheticalKind::Ingress(class) => {
                let backend = json!({"service": {"name": "any", "port": {"number": 80}}});
                let path = json!({"path": self.path, "pathType": "Prefix", "backend": backend});
                let rules = json!([{"host": self.host, "http": {"paths": [path]}}]);
                let tls = if self.is_secure { json!([{"hosts": [self.host]}]) } else { json!([]) };
                match class {
                    Some(class) => json!({"ingressClassName": class, "rules": rules, "tls": tls}),
                    None => json!({"rules": rules, "tls": tls}),
                }
            }
            HypotheticalKind::HttpRoute(gateway) => json!({
                "parentRefs": [{"namespace": gateway.namespace, "name": gateway.name}],
                "hostnames": [self.host],
                "rules": [{"matches": [{"path": {"type": "PathPrefix", "value": self.path}}]}],
            }),
        };
        json!({"metadata": metadata, "spec": spec}).to_string()
    }
}

/// Whether a check compares an object with others.
fn is_about_others(check: &str) -> bool {
    let theme = registry::find(check).map(|known| known.theme);
    matches!(theme, Some(Theme::Conflict | Theme::Tenancy | Theme::Reference))
}

/// Whether a finding would be found in every object for the URL: its backend is not known, and what is wrong with the host in
/// `spec.tls` is wrong with the rule, too. For a URL with HTTPS, a route would choose a listener for HTTPS.
fn concerns(finding: &Finding, is_secure: bool) -> bool {
    let is_unknown =
        |segment: &Segment| matches!(segment, Segment::Field(name) if name.starts_with("backend") || *name == "tls");
    let is_of_url = is_about_others(finding.check) && !finding.at.segments().iter().any(is_unknown);
    is_of_url || (!is_secure && registry::find(finding.check).is_some_and(|check| check.requires_https))
}
