//! The rules of webhooks and roles as YAML text. Kinds with the same group and versions share a rule.

use portcullis_core::kinds::{ApiResource, Kind};

/// The webhook rules for `operations` on objects of `kinds`, in the order of the table of kinds.
pub(super) fn webhook(kinds: &[Kind], operations: &str) -> String {
    let rule = |names: Vec<ApiResource>| {
        let ApiResource { group, versions, namespaced, .. } = names[0];
        let scope = if namespaced { "Namespaced" } else { "Cluster" };
        format!(
            "  - apiGroups: [{group}]\n    apiVersions: [{}]\n    resources: [{}]\n    operations: [{operations}]\n    scope: {scope}\n",
            versions.join(", "),
            plurals(&names),
        )
    };
    grouped(kinds, |api| (api.group, api.versions, api.namespaced)).into_iter().map(rule).collect()
}

/// The role rules that grant read access to objects of `kinds`, in the order of the table of kinds.
pub(super) fn read(kinds: &[Kind]) -> String {
    let rule = |names: Vec<ApiResource>| {
        let group = if names[0].group.is_empty() { "\"\"" } else { names[0].group };
        format!("- apiGroups: [{group}]\n  resources:{}\n  verbs: [get, list, watch]\n", list(&names))
    };
    grouped(kinds, |api| api.group).into_iter().map(rule).collect()
}

/// The operations that add the right to write the status of `kinds` to a ClusterRole, as a JSON patch in YAML.
pub(super) fn add_status(kinds: &[Kind]) -> String {
    let rule = |names: Vec<ApiResource>| {
        let statuses: String = names.iter().map(|api| format!("\n    - {}/status", api.plural)).collect();
        add_rule(names[0].group, &statuses)
    };
    grouped(kinds, |api| api.group).into_iter().map(rule).collect()
}

/// The operation that adds the right to patch `resources`, each on a line, to a ClusterRole.
pub(super) fn add_rule(group: &str, resources: &str) -> String {
    format!(
        "- op: add\n  path: /rules/-\n  value:\n    apiGroups: [{group}]\n    resources:{resources}\n    verbs: [patch]\n"
    )
}

/// The plurals as a YAML list: in brackets, or one per line if there are more than five.
fn list(names: &[ApiResource]) -> String {
    if names.len() > 5 {
        names.iter().map(|api| format!("\n  - {}", api.plural)).collect()
    } else {
        format!(" [{}]", plurals(names))
    }
}

fn plurals(names: &[ApiResource]) -> String {
    names.iter().map(|api| api.plural).collect::<Vec<_>>().join(", ")
}

/// Groups the resources of `kinds` by `key`. The groups are in the order of their first kinds.
fn grouped<K: PartialEq>(kinds: &[Kind], key: impl Fn(&ApiResource) -> K) -> Vec<Vec<ApiResource>> {
    let mut groups: Vec<Vec<ApiResource>> = Vec::new();
    for api in kinds.iter().map(|kind| kind.api()) {
        match groups.iter_mut().find(|group| key(&group[0]) == key(&api)) {
            Some(group) => group.push(api),
            None => groups.push(vec![api]),
        }
    }
    groups
}
