//! Whether a GatewayClass of this controller may have the parameters to which it refers.

use super::StatusContext;
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::ParametersFacts;

/// Why the controller cannot use parameters, as a sentence that begins with the field; `None` if it can.
pub(super) fn fault(parameters: &ParametersFacts, context: &StatusContext<'_>) -> Option<String> {
    let ParametersFacts { group, kind, namespace, name } = parameters;
    let kinds = &context.settings().parameters_kinds;
    let at = format!("spec.parametersRef: {kind} `{name}`");
    if kinds.is_empty() {
        return Some(format!("{at} is not supported: this controller has no parameters; remove parametersRef"));
    }
    if !kinds.iter().any(|own| *own.group.value == **group && *own.kind.value == **kind) {
        let kinds: Vec<&str> = kinds.iter().map(|own| own.kind.value.as_str()).collect();
        return Some(format!(
            "{at} is not supported: the parameters of this controller are of kind {}",
            kinds.join(" or ")
        ));
    }
    let is_config_map = group.is_empty() && **kind == *"ConfigMap";
    let is_absent = is_config_map && matches!(context.cluster.config_map(namespace, name), Lookup::Absent);
    is_absent.then(|| format!("{at} not found in namespace `{namespace}`"))
}
