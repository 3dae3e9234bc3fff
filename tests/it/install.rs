//! The kustomize base with its components, and the Helm chart: both install the same objects, each value has its effect, and a real API
//! server accepts them.

mod cluster;
mod monitoring;
mod objects;
mod rendering;
mod schema;
mod values;

pub use objects::overlay_of_image;

use crate::harness::{on_helm, on_prometheus_operator};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    vec![
        on_helm("install::chart_and_base_are_equal", rendering::chart_and_base_are_equal),
        on_helm("install::only_the_pods_know_their_port", rendering::only_the_pods_know_their_port),
        on_helm("install::components_equal_values_of_the_chart", rendering::components_equal_values),
        on_helm("install::overlays_of_the_docs_equal_values", rendering::overlays_of_the_docs_equal_values),
        on_helm("install::webhooks_are_deleted_first", rendering::webhooks_are_deleted_first),
        on_helm("install::another_namespace_is_used_everywhere", rendering::another_namespace_is_used_everywhere),
        on_helm("install::a_release_renders_alike_each_time", rendering::a_release_renders_alike_each_time),
        on_helm("install::hook_pods_are_not_selected_by_a_service", rendering::hook_pods_are_not_selected_by_a_service),
        on_helm(
            "install::replicas_of_a_maintainer_write_no_webhooks",
            rendering::replicas_of_a_maintainer_write_no_webhooks,
        ),
        on_helm("install::old_versions_of_kubernetes_are_refused", rendering::old_versions_are_refused),
        on_helm("install::each_value_has_its_effect", values::each_value_has_its_effect),
        on_helm("install::the_schema_refuses_unknown_values", schema::unknown_values_are_refused),
        on_helm("install::the_schema_describes_all_values", schema::all_values_are_described),
        on_helm("install::the_api_server_accepts_all_objects", cluster::all_objects_are_accepted),
        on_helm("install::applying_the_base_again_keeps_the_ca_bundle", cluster::applying_again_keeps_the_ca_bundle),
        on_helm("install::the_base_serves_by_itself", cluster::the_base_serves_by_itself),
        on_helm("install::helm_installs_upgrades_and_uninstalls", cluster::helm_installs_upgrades_and_uninstalls),
        on_prometheus_operator(
            "install::the_prometheus_operator_knows_each_field",
            monitoring::the_operator_knows_each_field,
        ),
        on_helm("install::uninstalling_stops_enforcement_first", cluster::uninstalling_stops_enforcement_first),
        on_helm("install::uninstalling_removes_finalizers_last", cluster::uninstalling_removes_finalizers_last),
    ]
}
