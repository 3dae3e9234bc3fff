//! `explain`: who answers a request, held against the design document, against oracles that share no code with it, and as a person reads it.

mod delegations;
mod document;
mod gateways;
mod ingresses;
mod program;
mod proxies;
mod regions;
mod routes;
pub mod worlds;

use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let trial = |(name, run): (&str, fn())| {
        let run = move || {
            run();
            Ok(())
        };
        Trial::test(format!("explain::{name}"), run)
    };
    let all: &[(&str, fn())] = &[
        ("the_documents_table_of_paths", document::table_of_paths),
        ("the_documents_examples_of_hosts", document::examples_of_hosts),
        ("ingresses_answer_as_the_oracle_says", ingresses::answer_as_the_oracle_says),
        (
            "an_unknown_meaning_is_read_as_prefix_and_says_so",
            ingresses::an_unknown_meaning_is_read_as_prefix_and_says_so,
        ),
        ("hosts_of_annotations_are_read", ingresses::hosts_of_annotations_are_read),
        (
            "a_wildcard_answers_where_its_rule_is_asked_first",
            ingresses::a_wildcard_answers_where_its_rule_is_asked_first,
        ),
        (
            "regular_expressions_are_read_where_annotations_ask_for_them",
            ingresses::regular_expressions_are_read_where_annotations_ask_for_them,
        ),
        ("each_class_of_an_ingress_is_asked", ingresses::each_class_of_an_ingress_is_asked),
        (
            "some_controllers_serve_ingresses_without_a_class_too",
            ingresses::some_controllers_serve_ingresses_without_a_class_too,
        ),
        ("routes_answer_as_the_oracle_says", routes::answer_as_the_oracle_says),
        ("ingress_routes_answer_as_the_oracle_says", delegations::answer_as_the_oracle_says),
        ("a_shared_chain_of_ingress_routes_is_looked_at_once", delegations::a_shared_chain_is_looked_at_once),
        ("http_proxies_answer_as_the_oracle_says", proxies::answer_as_the_oracle_says),
        (
            "a_shared_chain_of_http_proxies_is_looked_at_up_to_a_bound",
            proxies::a_shared_chain_is_looked_at_up_to_a_bound,
        ),
        ("connections_are_told_apart_by_their_name", proxies::connections_are_told_apart_by_their_name),
        ("a_region_is_answered_as_its_representative", regions::are_answered_as_their_representatives),
        ("a_prefix_goes_on_inside_of_an_element", regions::a_prefix_goes_on_inside_of_an_element),
        ("tests_that_cannot_be_counted_out_say_so", regions::tests_that_cannot_be_counted_out_say_so),
        ("two_sets_are_told_apart_by_their_regions", regions::tell_two_sets_apart),
        ("many_headers_make_few_regions", regions::many_headers_make_few_regions),
        ("a_request_reaches_one_listener", gateways::a_request_reaches_one_listener),
        ("a_wider_host_answers_what_a_narrower_does_not", gateways::a_wider_host_answers_what_a_narrower_does_not),
        ("grpc_and_tls_have_their_own_ways", gateways::grpc_and_tls_have_their_own_ways),
        ("filters_and_backends_end_the_chain", gateways::filters_and_backends_end_the_chain),
        ("data_planes_never_compete", gateways::data_planes_never_compete),
        ("load_balancers_are_data_planes", gateways::load_balancers_are_data_planes),
        ("words_are_golden", program::words_are_golden),
        ("json_has_just_these_fields", program::json_has_just_these_fields),
        ("nobody_speaks_tls_with_a_bad_secret", program::nobody_speaks_tls_with_a_bad_secret),
        ("wrong_usage_is_told", program::wrong_usage_is_told),
        ("what_is_void_says_why", program::what_is_void_says_why),
        ("the_listener_that_is_reached_says_why", program::the_listener_that_is_reached_says_why),
        ("a_scope_that_is_nowhere_is_told", program::a_scope_that_is_nowhere_is_told),
    ];
    let mut trials: Vec<Trial> = all.iter().copied().map(trial).collect();
    trials.push(program::live_trial());
    trials
}
