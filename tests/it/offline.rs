//! `lint` over files and `audit` over a live cluster: their output and exit codes, and that an audit only reads.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;

use crate::harness::{ControlPlane, Flavour, on_cluster, on_helm, on_openreports, on_sarif};

mod builds;
mod charts;
mod conflict_fault;
mod default_class;
mod envsubst;
mod folders;
mod formats;
mod incomplete;
mod input;
mod objects;
mod oversized;
mod readme;
mod repository;
mod schemas;
mod state;
mod worlds;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("offline::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("lint_reports_nothing_for_valid_manifests", lint_reports_nothing_for_valid_manifests),
        trial("lint_reports_denials", lint_reports_denials),
        trial("several_formats_are_written_in_one_run", formats::several_formats_are_written_in_one_run),
        trial("lint_uses_the_requested_profile", lint_follows_the_profile),
        trial("lint_checks_other_files_beside_a_malformed_one", lint_checks_other_files_beside_a_malformed_one),
        trial("lint_distinguishes_objects_with_generated_names", lint_distinguishes_objects_with_generated_names),
        trial("lint_reports_unread_documents", lint_reports_unread_documents),
        trial("lint_warns_of_unknown_fields", lint_warns_of_unknown_fields),
        trial("lint_reports_an_unknown_field_once", lint_reports_an_unknown_field_once),
        trial("lint_reports_the_assumed_bundle", lint_reports_the_assumed_bundle),
        trial("lint_takes_root_namespaces_from_its_flag", lint_takes_root_namespaces_from_its_flag),
        trial("lint_looks_into_secrets_only_where_files_hold_some", lint_looks_into_secrets_only_where_files_hold_some),
        trial("lint_denies_a_proxy_that_includes_a_root", lint_denies_a_proxy_that_includes_a_root),
        trial("lint_misses_nothing_where_an_object_cannot_be_read", lint_misses_nothing_where_an_object_cannot_be_read),
        trial("an_unread_document_hides_no_neighbor", incomplete::an_unread_document_hides_no_neighbor),
        trial("a_retired_version_is_denied_and_never_stored", incomplete::a_retired_version_is_denied_and_never_stored),
        trial("unread_documents_are_counted_by_cause", incomplete::unread_documents_are_counted_by_cause),
        trial("templates_and_kustomizations_are_named", incomplete::templates_and_kustomizations_are_named),
        trial(
            "templates_beside_the_checked_files_do_not_fail",
            incomplete::templates_beside_the_checked_files_do_not_fail,
        ),
        trial("possible_objects_make_the_result_incomplete", incomplete::possible_objects_make_the_result_incomplete),
        trial("only_the_malformed_element_is_reported", incomplete::only_the_malformed_element_is_reported),
        trial(
            "route_without_rules_gets_one_finding_about_rules",
            incomplete::route_without_rules_gets_one_finding_about_rules,
        ),
        trial(
            "objects_of_unknown_age_are_reported_as_a_pair",
            incomplete::objects_of_unknown_age_are_reported_as_a_pair,
        ),
        trial(
            "references_are_missing_only_in_a_complete_folder",
            incomplete::references_are_missing_only_in_a_complete_folder,
        ),
        trial("comments_are_no_fault", incomplete::comments_are_no_fault),
        trial("files_of_other_tools_are_no_fault", incomplete::other_files_are_no_fault),
        trial("lookup_only_kinds_are_counted", incomplete::lookup_only_kinds_are_counted),
        trial("nameless_objects_are_checked", incomplete::nameless_objects_are_checked),
        trial("unserved_versions_are_reported", incomplete::unserved_versions_are_reported),
        trial("dash_argument_is_reported_with_a_fix", incomplete::dash_argument_is_reported_with_a_fix),
        trial("unrelated_unread_files_do_not_affect_explain", incomplete::unrelated_unread_files_do_not_affect_explain),
        trial("expired_permissions_are_reported", incomplete::expired_permissions_are_reported),
        trial("younger_of_two_objects_is_at_fault", conflict_fault::younger_of_two_objects_is_at_fault),
        trial("younger_of_rule_and_added_host_is_at_fault", conflict_fault::younger_of_rule_and_added_host_is_at_fault),
        trial("pair_of_unknown_age_is_reported_once", conflict_fault::pair_of_unknown_age_is_reported_once),
        trial(
            "first_namespace_of_unknown_age_is_not_decided",
            conflict_fault::first_namespace_of_unknown_age_is_not_decided,
        ),
        trial("one_of_two_default_classes_is_at_fault", conflict_fault::one_of_two_default_classes_is_at_fault),
        trial(
            "owner_is_not_at_fault_for_a_claim_of_another_namespace",
            conflict_fault::owner_is_not_at_fault_for_a_claim_of_another_namespace,
        ),
        trial("patches_are_not_objects", builds::patches_are_not_objects),
        trial("nothing_to_build_is_noted", builds::nothing_to_build_is_noted),
        trial("a_missing_tool_is_an_error", builds::a_missing_tool_is_an_error),
        on_cluster("offline::kustomizations_are_built", builds::kustomizations_are_built),
        on_cluster("offline::a_base_is_not_in_the_cluster", builds::a_base_is_not_in_the_cluster),
        on_cluster("offline::overlays_that_differ_are_judged_apart", builds::overlays_that_differ_are_judged_apart),
        on_helm("offline::charts_are_rendered", charts::charts_are_rendered),
        on_helm("offline::charts_see_the_cluster", charts::charts_see_the_cluster),
        on_helm("offline::chart_without_objects_is_reported_as_not_checked", charts::a_chart_that_renders_nothing),
        on_helm("offline::a_library_chart_is_skipped", charts::a_library_chart_is_skipped),
        trial("standard_input_is_read", input::standard_input_is_read),
        trial("excluded_files_are_not_read", input::excluded_files_are_not_read),
        trial("a_misspelled_namespace_is_an_error", input::a_misspelled_namespace_is_an_error),
        trial(
            "the_user_decides_where_the_configuration_says_so",
            input::the_user_decides_where_the_configuration_says_so,
        ),
        trial("hidden_denials_are_counted", input::hidden_denials_are_counted),
        trial(
            "a_namespace_that_may_be_in_an_unread_document_is_no_error",
            input::a_namespace_that_may_be_in_an_unread_document_is_no_error,
        ),
        trial("hidden_findings_that_fail_are_named", input::hidden_findings_that_fail_are_named),
        trial("objects_that_are_only_looked_up_are_counted", input::objects_that_are_only_looked_up_are_counted),
        trial("paths_without_checked_objects_are_noted", input::paths_without_checked_objects_are_noted),
        trial("objects_get_the_given_namespace", input::objects_get_the_given_namespace),
        trial("objects_are_the_rest_of_the_cluster", state::objects_are_the_rest_of_the_cluster),
        trial("checked_files_are_not_the_cluster", state::checked_files_are_not_the_cluster),
        trial("unread_objects_make_the_result_incomplete", state::unread_objects_make_the_result_incomplete),
        trial(
            "requests_and_statuses_are_explained_from_a_snapshot",
            state::requests_and_statuses_are_explained_from_a_snapshot,
        ),
        trial("audit_reads_files_and_snapshots", state::audit_reads_files_and_snapshots),
        trial("paths_are_the_same_as_objects", state::paths_are_the_same_as_objects),
        trial("templates_in_a_snapshot_are_one_line", state::templates_in_a_snapshot_are_one_line),
        trial("labels_without_effect_are_reported", state::labels_without_effect_are_reported),
        trial("unknown_namespaces_are_named", state::unknown_namespaces_are_named),
        trial("a_faulty_snapshot_is_one_error_with_a_hint", state::a_faulty_snapshot_is_one_error_with_a_hint),
        trial("class_features_are_read_from_a_file", objects::class_features_are_read_from_a_file),
        trial("an_assumed_channel_denies_nothing", objects::an_assumed_channel_denies_nothing),
        trial("crds_in_files_say_which_channel_is_installed", objects::crds_in_files_say_which_channel_is_installed),
        trial("objects_get_the_namespace_of_the_option", objects::objects_get_the_namespace_of_the_option),
        trial("excluded_files_are_in_the_cluster", objects::excluded_files_are_in_the_cluster),
        trial(
            "patches_of_checked_kustomizations_are_not_in_the_cluster",
            objects::patches_of_checked_kustomizations_are_not_in_the_cluster,
        ),
        trial("standard_input_that_is_stored_is_named", objects::standard_input_that_is_stored_is_named),
        trial("every_definition_is_checked", objects::every_definition_is_checked),
        trial("changed_files_may_contain_no_manifest", objects::changed_files_may_contain_no_manifest),
        trial("a_snapshot_remembers_what_is_not_read", objects::a_snapshot_remembers_what_is_not_read),
        trial("an_object_of_the_wrong_type_has_a_position", objects::an_object_of_the_wrong_type_has_a_position),
        trial("audit_of_files_has_positions_in_every_format", objects::audit_of_files_has_positions_in_every_format),
        trial(
            "an_unread_object_of_another_namespace_does_not_count",
            objects::an_unread_object_of_another_namespace_does_not_count,
        ),
        trial("a_summary_is_text", objects::a_summary_is_text),
        trial("without_a_cluster_the_alternatives_are_named", objects::without_a_cluster_the_alternatives_are_named),
        trial("a_folder_of_checked_files_is_an_empty_cluster", objects::a_folder_of_checked_files_is_an_empty_cluster),
        trial("every_finding_has_a_position", formats::every_finding_has_a_position),
        trial("json_has_the_documented_shape", formats::json_has_the_documented_shape),
        on_sarif("offline::sarif_is_valid", formats::sarif_is_valid),
        trial("fingerprints_survive_moved_lines", formats::fingerprints_survive_moved_lines),
        trial("junit_has_a_suite_for_each_file", formats::junit_has_a_suite_for_each_file),
        trial("github_commands_name_file_and_line", formats::github_commands_name_file_and_line),
        trial("github_commands_are_in_order_of_weight", formats::github_commands_are_in_order_of_weight),
        trial("openreports_has_a_report_for_each_namespace", formats::openreports_has_a_report_for_each_namespace),
        on_openreports("offline::openreports_are_stored_as_printed", formats::openreports_are_stored_as_printed),
        trial("json_follows_its_schema", schemas::json_follows_its_schema),
        trial("junit_follows_its_schema", schemas::junit_follows_its_schema),
        trial("github_commands_follow_their_grammar", schemas::github_commands_follow_their_grammar),
        trial("each_format_says_that_nothing_was_checked", schemas::each_format_says_that_nothing_was_checked),
        trial("exit_code_tells_usage_from_unread", formats::exit_code_tells_usage_from_unread),
        trial("fail_on_and_quiet_choose_by_action", formats::fail_on_and_quiet_choose_by_action),
        trial("filters_choose_findings", formats::filters_choose_findings),
        trial("summary_counts_by_check_and_namespace", formats::summary_counts_by_check_and_namespace),
        trial("only_terminals_get_colors", formats::only_terminals_get_colors),
        trial("readme_shows_what_the_program_prints", readme::outputs_are_those_of_the_program),
        trial("links_are_followed_once", folders::links_are_followed_once),
        trial("links_out_of_the_folder_are_not_followed", folders::links_out_of_the_folder_are_not_followed),
        trial("mounted_volumes_are_read", folders::mounted_volumes_are_read),
        trial(
            "no_format_prints_control_characters_of_file_names",
            formats::no_format_prints_control_characters_of_file_names,
        ),
        trial("only_text_and_reports_shorten_long_values", formats::only_text_and_reports_shorten_long_values),
        trial("copies_are_one_line_and_no_fault", folders::copies_are_one_line),
        trial("extensions_in_capitals_are_read", folders::extensions_in_capitals_are_read),
        trial("hidden_files_are_counted", folders::hidden_files_are_counted),
        trial("names_with_another_ending_are_counted", folders::names_with_another_ending_are_counted),
        trial("a_folder_without_manifests_is_an_error", folders::a_folder_without_manifests),
        trial("absence_is_known_by_namespace", folders::absence_is_known_by_namespace),
        trial(
            "references_to_surrounding_files_are_not_missing",
            repository::references_to_surrounding_files_are_not_missing,
        ),
        trial("surrounding_files_add_no_findings", repository::surrounding_files_add_no_findings),
        trial(
            "a_port_that_a_checked_service_lacks_is_in_no_other_file",
            repository::a_port_that_a_checked_service_lacks_is_in_no_other_file,
        ),
        trial("only_the_nearest_project_surrounds_a_file", repository::only_the_nearest_project_surrounds_a_file),
        trial("variants_are_judged_apart", worlds::variants_are_judged_apart),
        trial("variant_in_the_same_folder_is_not_a_conflict", worlds::variant_in_the_same_folder_is_not_a_conflict),
        trial("examples_and_tests_have_no_rivals", worlds::examples_and_tests_have_no_rivals),
        trial(
            "services_of_which_most_are_missing_are_elsewhere",
            worlds::services_of_which_most_are_missing_are_elsewhere,
        ),
        trial("service_created_by_a_controller_is_not_missing", worlds::service_created_by_a_controller_is_not_missing),
        trial("test_assertions_are_not_objects", worlds::test_assertions_are_not_objects),
        trial("variables_are_not_judged", worlds::variables_are_not_judged),
        trial("known_variables_are_filled_in", envsubst::known_variables_are_filled_in),
        trial("variables_are_filled_in_in_objects_and_texts", envsubst::variables_are_filled_in_in_objects_and_texts),
        trial("many_documents_and_items_are_read", folders::many_documents_and_items),
        trial("dropped_entries_of_an_oversized_object_are_not_absent", oversized::dropped_entries_are_not_absent),
        trial("a_classless_ingress_conflicts_in_the_default_class", default_class::a_classless_ingress_conflicts),
        trial("newest_default_class_is_used", default_class::newest_default_class_is_used),
        trial(
            "default_class_is_not_set_if_a_class_is_named",
            default_class::default_class_is_not_set_if_a_class_is_named,
        ),
        trial("a_default_class_is_judged_like_a_named_one", default_class::default_class_is_checked),
        trial("without_all_classes_no_default_is_known", default_class::without_all_classes_no_default_is_known),
        trial("removed_default_class_is_forgotten", default_class::removed_default_class_is_forgotten),
        on_cluster("offline::account_without_rights_gets_an_incomplete_result", incomplete::account_without_rights),
        on_cluster("offline::audit_reports_by_namespace_and_only_reads", audit_reports_by_namespace),
    ]
}

fn ingress(namespace: &str, name: &str, host: &str, path: &str) -> String {
    format!(
        r#"---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{namespace: {namespace}, name: {name}}}
spec:
  ingressClassName: public
  rules:
  - host: {host}
    http: {{paths: [{{path: {path}, pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}]}}
"#
    )
}

fn lint_reports_the_assumed_bundle() {
    let folder = folder(&[("route.yaml", objects::BY_PORT)]);
    let (code, _, errors) = lint(folder.path(), &[]);
    assert_eq!(code, Some(0), "{errors}");
    let is_reported =
        errors.contains("bundle v1.7 standard of the Gateway API is assumed") && errors.contains("gatewayBundle");
    assert!(is_reported, "{errors}");
    let config = folder.path().join("config");
    let text =
        "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\ngatewayBundle: {version: '1.6'}\n";
    std::fs::write(&config, text).expect("a file can be written");
    let (code, _, errors) =
        lint(&folder.path().join("route.yaml"), &["--config", config.to_str().expect("a plain name")]);
    assert_eq!((code, errors.contains("assumed")), (Some(1), false), "{errors}");
}

/// The exit code, stdout and stderr, in which `DIR` replaces the folder's path.
fn lint(folder: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let program = Command::new(env!("CARGO_BIN_EXE_portcullis")).arg("lint").arg(folder).args(more).output();
    let output = program.expect("the program runs");
    let text =
        |bytes: Vec<u8>| String::from_utf8(bytes).expect("text").replace(folder.to_str().expect("a plain name"), "DIR");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("the folder is writable");
    }
    folder
}

fn lint_reports_nothing_for_valid_manifests() {
    let folder = folder(&[("a.yaml", &ingress("web", "shop", "shop.example.com", "/"))]);
    let clean = "1 object, 0 would be denied, 0 warnings\n".to_owned();
    assert_eq!(lint(folder.path(), &[]), (Some(0), clean, String::new()));
}

fn lint_denies_a_proxy_that_includes_a_root() {
    let stranger = "kind: HTTPProxy\napiVersion: projectcontour.io/v1\nmetadata: {namespace: evil, name: v}\n\
                    spec: {includes: [{name: app, namespace: victim}]}\n";
    let root = "kind: HTTPProxy\napiVersion: projectcontour.io/v1\nmetadata: {namespace: victim, name: app}\n\
                spec: {virtualhost: {fqdn: b.example.com}, routes: [{services: [{name: web, port: 80}]}]}\n";
    let (code, output, _) = lint(folder(&[("a.yaml", stranger), ("b.yaml", root)]).path(), &[]);
    assert_eq!(code, Some(1));
    let denied: Vec<&str> = output.lines().filter(|line| line.contains("  Deny  ")).collect();
    let words = "HTTPProxy victim/app is a root and must not be included: include an object without virtualhost";
    assert!(matches!(denied[..], [line] if line.contains(words)), "{output}");
    assert!(!output.contains("evil/v includes"), "the root is not to blame: {output}");
}

fn lint_misses_nothing_where_an_object_cannot_be_read() {
    let cart = |port: &str| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{namespace: web, name: cart-{port}}}\nspec: {{ports: [{{port: {port}}}]}}\n"
        )
    };
    let other = cart("eighty") + &cart("80");
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let linted = |services: &str| lint(folder(&[("a.yaml", &shop), ("b.yaml", services)]).path(), &[]);
    let (_, output, _) = linted(&cart("80"));
    assert!(output.contains("Service web/cart not found ["), "{output}");
    let (code, output, problems) = linted(&other);
    assert!(problems.contains("b.yaml: Service web/cart-eighty cannot be read: spec.ports[0].port: "), "{problems}");
    assert_eq!(
        (code, &*output),
        (
            Some(3),
            "incomplete: 1 object, 0 warnings; 1 object was read only to resolve references; 1 document not checked\n  field of the wrong type: 1 (DIR/b.yaml)\n"
        ),
        "a Service may be there and not be read"
    );
}

fn lint_reports_denials() {
    let twins = ingress("web", "shop", "shop.example.com", "/cart");
    let folder = folder(&[("a.yaml", &twins), ("b.yaml", &ingress("team-b", "copy", "shop.example.com", "cart"))]);
    let expected = "DIR/b.yaml: Ingress team-b/copy\n  \
                    9:21  Deny  spec.rules[0].http.paths[0].path: `cart` must start with `/` [ingress/path-not-absolute]\n\n\
                    2 objects, 1 would be denied, 0 warnings\n";
    assert_eq!(lint(folder.path(), &[]), (Some(1), expected.to_owned(), String::new()));
}

fn lint_follows_the_profile() {
    let folder = folder(&[("a.yaml", &ingress("web", "shop", "shop.example.com", "/"))]);
    let (code, printed, _) = lint(folder.path(), &["--profile", "restricted"]);
    assert_eq!(code, Some(1));
    assert!(printed.contains("[ingress/tls-missing]"), "{printed}");
    let (code, _, errors) = lint(folder.path(), &["--profile", "strict"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("unknown profile `strict`"), "{errors}");
}

fn lint_checks_other_files_beside_a_malformed_one() {
    let folder = folder(&[("a.yaml", "kind: [\n"), ("b.yaml", &ingress("web", "shop", "shop.example.com", "cart"))]);
    let (code, printed, errors) = lint(folder.path(), &[]);
    assert_eq!(code, Some(1), "what is not read hides no refusal");
    assert!(printed.contains("[ingress/path-not-absolute]"), "{printed}");
    assert!(errors.starts_with("portcullis: DIR/a.yaml: line "), "{errors}");
}

fn lint_distinguishes_objects_with_generated_names() {
    let to_be_made = |namespace: &str, host: &str| {
        ingress(namespace, "shop-", host, "/").replace("name: shop-", "generateName: shop-")
    };
    let apart = folder(&[
        ("a.yaml", &(to_be_made("web", "a.example.com") + &to_be_made("web", "b.example.com"))),
        ("b.yaml", &to_be_made("web", "c.example.com")),
    ]);
    assert_eq!(
        lint(apart.path(), &[]),
        (Some(0), "3 objects, 0 would be denied, 0 warnings\n".to_owned(), String::new())
    );

    let alike = folder(&[
        ("a.yaml", &to_be_made("web", "shop.example.com")),
        ("b.yaml", &to_be_made("web", "shop.example.com")),
    ]);
    let (code, printed, errors) = lint(alike.path(), &[]);
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{printed}");
    let expected = "DIR/b.yaml: Ingress web/shop-<2>\n  \
                9:21  Warn  spec.rules[0].http.paths[0].path: path / on shop.example.com is also served by Ingress web/shop-<1> (class public); if each has its own load balancer, ask the platform team to set `dataPlanes`, else remove it from one of the two [host/path-conflict]\n";
    assert!(printed.contains(expected), "{expected}\nis not in\n{printed}");
    assert!(!printed.contains("a.yaml"), "a pair is named once:\n{printed}");
}

fn lint_reports_unread_documents() {
    let of = |api_version: &str, kind: &str| {
        format!("---\napiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a}}\n")
    };
    let misspelt = of("networking.k8s.io/v1", "Ingres") + &of("networking.k8s/v1", "Ingress");
    let others = of("apps/v1", "Deployment") + "---\n" + &of("serving.knative.dev/v1", "Service");
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let folder = folder(&[("a.yaml", &shop), ("b.yaml", &misspelt), ("c.yaml", &others)]);
    let printed = "incomplete: 1 object, 0 warnings; 2 documents were skipped: their kinds are not checked; 2 documents not checked\n  \
                   unknown kind or version: 2 (DIR/b.yaml: 2)\n";
    let noted = "portcullis: DIR/b.yaml: `networking.k8s.io/v1` has no kind `Ingres`; use `Ingress` of `networking.k8s.io/v1`\n\
                 portcullis: DIR/b.yaml: `networking.k8s/v1` has no kind `Ingress`; use `Ingress` of `networking.k8s.io/v1`\n";
    assert_eq!(lint(folder.path(), &[]), (Some(3), printed.to_owned(), noted.to_owned()));
    let alone = lint(self::folder(&[("c.yaml", &others)]).path(), &[]);
    assert_eq!(
        (alone.0, &*alone.1),
        (Some(0), "0 objects, 0 would be denied, 0 warnings; 2 documents were skipped: their kinds are not checked\n")
    );
}

fn lint_warns_of_unknown_fields() {
    let misspelt = ingress("web", "shop", "shop.example.com", "/").replace("pathType", "pathtype");
    let folder = folder(&[("a.yaml", &misspelt)]);
    let (code, printed, errors) = lint(folder.path(), &[]);
    assert_eq!((code, errors.as_str()), (Some(1), ""), "{printed}");
    let expected = "  Warn  spec.rules[0].http.paths[0].pathtype: unknown field `pathtype`; did you mean `pathType`? [object/unknown-field]\n";
    assert!(printed.contains(expected), "{printed}");
}

/// Only once, by the check that knows the correct name.
fn lint_reports_an_unknown_field_once() {
    let misnamed = ROOT.replace(
        "  routes:",
        "  lbAlgorithm: Random\n  healthCheck (Optional): {path: /}\n  stratgy: Random\n  routes:",
    );
    let (_, printed, _) = lint(folder(&[("a.yaml", &misnamed)]).path(), &[]);
    for (name, expected) in
        [("lbAlgorithm", "[ingress-route/"), ("healthCheck (Optional)", "[ingress-route/"), ("stratgy", "[object/")]
    {
        let lines: Vec<&str> = printed.lines().filter(|line| line.contains(&format!("`{name}`"))).collect();
        assert!(lines.len() == 1 && lines[0].ends_with(&format!("{expected}unknown-field]")), "{printed}");
    }
}

/// A root with TLS.
const ROOT: &str = "---
apiVersion: contour.heptio.com/v1beta1
kind: IngressRoute
metadata: {namespace: web, name: shop}
spec:
  virtualhost: {fqdn: shop.example.com, tls: {secretName: shop-tls}}
  routes: [{match: /, services: [{name: shop, port: 80}]}]
";

fn lint_takes_root_namespaces_from_its_flag() {
    let (of_root, of_config) = (folder(&[("a.yaml", ROOT)]), tempfile::tempdir().expect("a temporary folder"));
    let file = of_config.path().join("config.yaml");
    let head = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
    std::fs::write(&file, format!("{head}rootNamespaces: {{IngressRoute: [web]}}\n")).expect("the folder is writable");
    let file = file.to_str().expect("a plain name");
    let refused = |more: &[&str]| {
        let (code, printed, _) = lint(of_root.path(), more);
        (code, printed.contains("[ingress-route/root-namespace-not-allowed]"))
    };
    assert_eq!(refused(&[]), (Some(0), false));
    assert_eq!(refused(&["--root-namespaces", "roots,edge-*"]), (Some(1), true));
    assert_eq!(refused(&["--root-namespaces", "roots,w*"]), (Some(0), false));
    assert_eq!(refused(&["--config", file]), (Some(0), false));
    assert_eq!(refused(&["--config", file, "--root-namespaces", "roots"]), (Some(1), true));
    let (code, _, errors) = lint(of_root.path(), &["--root-namespaces", "Roots"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("`Roots` is not a valid namespace"), "{errors}");
}

fn lint_looks_into_secrets_only_where_files_hold_some() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {namespace: web, name: shop-tls}\n\
                  type: kubernetes.io/tls\nstringData: {tls.crt: certain, tls.key: hidden}\n";
    let (_, printed, _) = lint(folder(&[("a.yaml", ROOT)]).path(), &[]);
    assert!(!printed.contains("Secret"), "{printed}");
    let (code, printed, errors) = lint(folder(&[("a.yaml", ROOT), ("b.yaml", secret)]).path(), &[]);
    assert_eq!(code, Some(0), "{printed}{errors}");
    for part in ["certificate in tls.crt", "private key for its certificate in tls.key"] {
        assert!(printed.contains(&format!("Secret `shop-tls` has no valid {part}")), "{printed}");
    }
    assert!(!format!("{printed}{errors}").contains("hidden"), "what is secret is never printed");
}

/// Permission to list the kinds that are reviewed or looked up, and nothing else.
fn reader(namespace: &str) -> String {
    format!(
        r#"
apiVersion: v1
kind: ServiceAccount
metadata: {{name: reader, namespace: {namespace}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: reader-{namespace}}}
rules:
- {{apiGroups: [networking.k8s.io], resources: [ingresses, ingressclasses], verbs: [list]}}
- {{apiGroups: [""], resources: [services, namespaces], verbs: [list]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: reader-{namespace}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader-{namespace}}}
subjects: [{{kind: ServiceAccount, name: reader, namespace: {namespace}}}]
"#
    )
}

fn audit_reports_by_namespace() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let (web, team) = (control_plane.namespace("web"), control_plane.namespace("team"));
    let (web, team) = (web.to_string(), team.to_string());
    control_plane.apply(&reader(&web)).accepted();
    let host = format!("{web}.example.com");
    control_plane.apply(&(ingress(&web, "shop", &host, "/") + &ingress(&team, "copy", &host, "/"))).accepted();

    let program = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["audit", "--kubeconfig"])
        .arg(control_plane.kubeconfig_for(&web, "reader"))
        .output();
    let output = program.expect("the program runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(1), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    let blamed = |(own, name, other): (&str, &str, String)| {
        let expected = format!(
            "namespace {own}: 1 denial, 2 warnings\n  Ingress {own}/{name}\n    \
             Warn  spec.ingressClassName: IngressClass `public` not found [ingress/class-not-found]\n    \
             Warn  spec.rules[0].http.paths[0].backend.service.name: Service {own}/cart not found [ingress/service-not-found]\n    \
             Deny  spec.rules[0].http.paths[0].path: path / on {host} is also served by Ingress {other} (class public); if each has its own load balancer, ask the platform team to set `dataPlanes` [host/path-conflict]\n"
        );
        printed.contains(&expected)
    };
    // Both may have been created in the same second. Then their names decide.
    let both = [(&*web, "shop", format!("{team}/copy")), (&*team, "copy", format!("{web}/shop"))].map(blamed);
    assert_eq!(both.iter().filter(|is_blamed| **is_blamed).count(), 1, "{printed}");
    assert_eq!(printed.matches("[host/path-conflict]").count(), 1, "{printed}");
    let of_namespace = |namespace: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        command.args(["audit", "--only-namespace", namespace, "--kubeconfig"]).arg(control_plane.kubeconfig());
        command.output().expect("the program runs").status.code()
    };
    let codes = [&web, &team, "kube-system", "no-such-namespace"].map(of_namespace);
    assert!(codes[..2].contains(&Some(1)) && codes[2..] == [Some(0), Some(2)], "{codes:?}");
    for what in ["clusterrolebinding", "clusterrole"] {
        control_plane.delete(&format!("{what}/reader-{web}"));
    }
}
