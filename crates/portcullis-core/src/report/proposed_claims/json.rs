//! Proposed claims as a JSON document.

use serde_json::{Value, json};

use super::{Proposal, ProposedClaims, ServedHost, ServingNamespace, api_version};
use crate::matching::claim_name::name_of;
use crate::message::escape_json;

impl ProposedClaims {
    /// The claims as manifests, the hosts that need a decision with the namespaces that serve them, and what was not read, as one JSON
    /// document. Hosts that have an owner already are counted.
    pub fn json(&self, unread: &[String]) -> String {
        let claimed = self.hosts_with(|proposal| *proposal == Proposal::Claim);
        let claims: Vec<Value> = claimed.filter_map(manifest).collect();
        let owned = self.hosts_with(|proposal| *proposal == Proposal::Owned).count();
        let document = json!({
            "claims": claims,
            "disputed": self.documents(|proposal| *proposal == Proposal::Disputed),
            "ofOthers": self.documents(|proposal| matches!(proposal, Proposal::OfOthers(_))),
            "unclaimable": self.documents(|proposal| matches!(proposal, Proposal::Unclaimable(_))),
            "unknown": self.documents(|proposal| *proposal == Proposal::Unknown),
            "owned": owned,
            "unread": unread,
        });
        escape_json(&format!("{document:#}\n"))
    }

    fn documents(&self, is_meant: fn(&Proposal) -> bool) -> Vec<Value> {
        self.hosts_with(is_meant).map(document).collect()
    }
}

/// The HostClaim for a host that one namespace serves.
fn manifest(served: &ServedHost) -> Option<Value> {
    let (name, owner) = (name_of(&served.host)?, served.namespaces.first()?);
    let spec = json!({"host": served.host.to_string(), "namespace": owner.name, "reason": owner.reason()});
    Some(json!({"apiVersion": api_version(), "kind": "HostClaim", "metadata": {"name": name}, "spec": spec}))
}

/// A host without a claim, why it has none, and the namespaces that serve it.
fn document(served: &ServedHost) -> Value {
    let reason = match &served.proposal {
        Proposal::OfOthers(owner) => Some(owner.as_str()),
        Proposal::Unclaimable(reason) => Some(*reason),
        Proposal::Claim | Proposal::Disputed | Proposal::Owned | Proposal::Unknown => None,
    };
    let namespaces: Vec<Value> = served.namespaces.iter().map(namespace).collect();
    match reason {
        Some(reason) => json!({"host": served.host.to_string(), "reason": reason, "namespaces": namespaces}),
        None => json!({"host": served.host.to_string(), "namespaces": namespaces}),
    }
}

fn namespace(namespace: &ServingNamespace) -> Value {
    let objects = namespace.objects.iter().map(|object| {
        let created = object.created.map(|created| created.to_string());
        json!({"object": object.object_ref.to_string(), "created": created})
    });
    json!({"name": namespace.name, "objects": objects.collect::<Vec<_>>()})
}
