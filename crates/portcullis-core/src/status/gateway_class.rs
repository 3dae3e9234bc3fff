//! The status of a GatewayClass of this controller.

use serde_json::{Map, Value, json};

use super::{Condition, ConditionStatus, Conditions, DesiredStatus, StatusContext, parameters};
use crate::bundle::{Bundle, InstalledSchema, VERSION_ANNOTATION};
use crate::cluster::gateway_facts::ParametersFacts;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::{GatewayClass, Kind, Routability};

/// The condition of Portcullis' own domain that lists the routabilities of a class. Schemas without the field `routabilities` keep it.
const ROUTABILITIES: &str = "portcullis.dev/Routabilities";

/// The maximum number of entries of `status.routabilities`.
const MAX_ROUTABILITIES: usize = 8;

/// The status of a class; `None` if another controller serves it.
pub fn of(class: &GatewayClass<'_>, context: &StatusContext<'_>) -> Option<DesiredStatus> {
    let generation = class.metadata.generation.0;
    if context.is_specification() {
        // Only its controller knows whether it accepts the class.
        return Some(DesiredStatus { generation, ..DesiredStatus::default() });
    }
    if !context.settings().is_own(class.spec.controller_name.as_deref().unwrap_or_default()) {
        return None;
    }
    let mut conditions = Conditions::default();
    let parameters = class.spec.parameters_ref.as_ref().map(ParametersFacts::of);
    let fault = parameters.as_ref().and_then(|parameters| parameters::fault(parameters, context));
    conditions.add(accepted(parameters.as_ref(), fault.as_deref()));
    conditions.add(supported_version(context));
    let invalid = context.settings().document_conditions.then(|| invalid_parameters(fault));
    conditions.add_or_clear("InvalidParameters", invalid);
    let offered = offered(class);
    let listed = || Condition::new(ROUTABILITIES, true, "Offered", offered.join(", "));
    conditions.add_or_clear(ROUTABILITIES, (!offered.is_empty()).then(listed));
    let mut fields = Map::new();
    // Without the annotation, the list that was written from an earlier one is removed.
    fields.insert("routabilities".to_owned(), if offered.is_empty() { Value::Null } else { json!(offered) });
    fields.insert("supportedFeatures".to_owned(), supported_features(context));
    Some(DesiredStatus { generation, conditions, fields, entries: None })
}

fn accepted(parameters: Option<&ParametersFacts>, fault: Option<&str>) -> Condition {
    let message = match (parameters, fault) {
        (_, Some(fault)) => return Condition::new("Accepted", false, "InvalidParameters", fault),
        (None, None) => "the class is accepted".to_owned(),
        (Some(ParametersFacts { kind, name, .. }), None) => {
            format!("the class is accepted; the configuration allows parameters of kind {kind}, `{name}` is not read")
        }
    };
    Condition::new("Accepted", true, "Accepted", message)
}

/// The negative condition of the concept document, derived from the same fact.
fn invalid_parameters(fault: Option<String>) -> Condition {
    match fault {
        None => {
            Condition::new("InvalidParameters", false, "Valid", "the class has no parameters that are not supported")
        }
        Some(fault) => Condition::new("InvalidParameters", true, "Unsupported", fault),
    }
}

/// Whether every CRD of the Gateway API says that it is of a supported bundle.
fn supported_version(context: &StatusContext<'_>) -> Condition {
    let schemas = Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api());
    let schemas: Vec<(Kind, InstalledSchema)> =
        schemas.map(|kind| (kind, context.cluster.schema(kind))).filter(|(_, schema)| schema.enforced).collect();
    let other = schemas.iter().find(|(_, schema)| !schema.supported);
    match (schemas.first(), other) {
        (None, _) => {
            let message = "it is not known which CRDs of the Gateway API are installed";
            Condition::new("SupportedVersion", ConditionStatus::Unknown, "Pending", message)
        }
        (Some((_, schema)), None) => {
            let message = format!("the CRDs of the Gateway API are of bundle {}", schema.bundle);
            Condition::new("SupportedVersion", true, "SupportedVersion", message)
        }
        (_, Some((kind, _))) => {
            let message = format!(
                "the CRD {}.{GATEWAY_GROUP} has no annotation {VERSION_ANNOTATION} with a supported version: install a \
                 bundle from v1.4 to v{}.{}",
                kind.resource(),
                Bundle::NEWEST.release.0,
                Bundle::NEWEST.release.1
            );
            Condition::new("SupportedVersion", false, "UnsupportedVersion", message)
        }
    }
}

/// The valid routabilities of the class's annotation.
fn offered(class: &GatewayClass<'_>) -> Vec<String> {
    let entries = class.annotated_routabilities().into_iter().flatten();
    entries
        .filter_map(|entry| Routability::parse(entry).map(|entry| entry.to_string()))
        .take(MAX_ROUTABILITIES)
        .collect()
}

fn supported_features(context: &StatusContext<'_>) -> Value {
    let settings = context.settings();
    let mut features: Vec<&str> = settings.supported_features.iter().map(|feature| feature.as_str()).collect();
    features.sort_unstable();
    features.dedup();
    match settings.is_attested() && !features.is_empty() {
        true => features.into_iter().map(|name| json!({"name": name})).collect(),
        false => Value::Null,
    }
}
