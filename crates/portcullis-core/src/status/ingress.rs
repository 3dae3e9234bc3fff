//! The status of an Ingress of this controller: the addresses of the published load balancers.

use std::net::IpAddr;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{DesiredStatus, FIELD_MANAGER, StatusContext, published};
use crate::cluster::Lookup;
use crate::kinds::{Ingress, Routability};

/// The status of an Ingress, given with its JSON; `None` if another controller serves it and nothing is left that
/// Portcullis wrote, or if its addresses are not known.
pub fn of(ingress: &Ingress<'_>, json: &str, context: &StatusContext<'_>) -> Option<DesiredStatus> {
    let addresses = match is_own(ingress, context)? {
        true if published::unknown(context).is_some() => return None,
        true => load_balancer(context),
        false => Vec::new(),
    };
    let value = match addresses.is_empty() {
        false => json!({"ingress": addresses}),
        // Addresses that another controller wrote meanwhile are its own.
        true if is_written_by_portcullis(json) => json!({}),
        true => return None,
    };
    let fields = Map::from_iter([("loadBalancer".to_owned(), value)]);
    Some(DesiredStatus { generation: ingress.metadata.generation.0, fields, ..DesiredStatus::default() })
}

/// Whether the class of the Ingress names this controller; `None` if that is not known.
fn is_own(ingress: &Ingress<'_>, context: &StatusContext<'_>) -> Option<bool> {
    let Some(class) = ingress.class() else { return Some(false) };
    match context.cluster.ingress_class(class) {
        Lookup::Found(class) => Some(context.settings().is_own(&class.controller)),
        Lookup::Absent => Some(false),
        Lookup::Unknown => None,
    }
}

/// The addresses that can be reached from outside the cluster, as entries of `loadBalancer.ingress`.
fn load_balancer(context: &StatusContext<'_>) -> Vec<Value> {
    let addresses = published::addresses(context).into_iter();
    let outside = addresses.filter(|address| address.routability != Some(Routability::Cluster));
    let entry = |value: &str| match value.parse::<IpAddr>() {
        Ok(_) => json!({"ip": value}),
        Err(_) => json!({"hostname": value}),
    };
    outside.map(|address| entry(address.value)).collect()
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Managed {
    metadata: ManagedMetadata,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ManagedMetadata {
    managed_fields: Vec<ManagedFields>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ManagedFields {
    manager: String,
    fields_v1: Value,
}

/// Whether the addresses in the stored status are those that Portcullis wrote last.
fn is_written_by_portcullis(json: &str) -> bool {
    let managed: Managed = serde_json::from_str(json).unwrap_or_default();
    let writes = |entry: &ManagedFields| !entry.fields_v1["f:status"]["f:loadBalancer"].is_null();
    managed.metadata.managed_fields.iter().any(|entry| entry.manager == FIELD_MANAGER && writes(entry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::Plan;
    use crate::cluster::{Cluster, Event, Facts, SyncState};
    use crate::config::Config;
    use crate::kinds::{Kind, ObjectRef, decode};
    use crate::status::of_all;

    const CONFIG: &str = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n\
                          status: {publishService: [{namespace: web, name: proxy}]}\n";

    /// The `loadBalancer` of an own Ingress with an own address, if it is to be written.
    fn load_balancer(services: SyncState) -> Option<Value> {
        let class = r#"{"metadata": {"name": "own"}, "spec": {"controller": "portcullis.dev/controller"}}"#;
        let mut cluster = Cluster::with(SyncState::Complete);
        cluster.apply(Event::Apply(Facts::of(&decode(Kind::IngressClass, class).expect("a class"))));
        cluster.apply(Event::SyncState(Kind::Service, services));
        let fields = json!({"f:status": {"f:loadBalancer": {}}});
        let ingress = json!({
            "metadata": {"namespace": "shop", "name": "shop", "managedFields": [{"manager": FIELD_MANAGER, "fieldsV1": fields}]},
            "spec": {"ingressClassName": "own"}, "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}},
        });
        let plan = Plan::new(Config::parse(CONFIG).expect("a configuration")).expect("a plan");
        let object_ref = ObjectRef::new(Kind::Ingress, "shop", "shop");
        let rules = plan.graph_rules(jiff::Timestamp::UNIX_EPOCH);
        let all = of_all([(object_ref, ingress.to_string().into())], &mut cluster, rules);
        all.into_values().next().map(|desired| desired.fields["loadBalancer"].clone())
    }

    #[test]
    fn addresses_are_removed_only_if_the_service_is_known_to_be_absent() {
        assert_eq!(load_balancer(SyncState::Complete), Some(json!({})));
        assert_eq!(load_balancer(SyncState::Partial), None);
        assert_eq!(load_balancer(SyncState::NotSynced), None);
    }
}
