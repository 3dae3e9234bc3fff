//! What the words of the configuration mean, seen through the answers to reviews.

mod asked;
mod consent;
mod errors;
mod exemptions;
mod kep;
mod layers;
mod many;
mod names;
mod reservations;
mod schema;
mod selectors;
mod unreadable;
mod waiting;

use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let trial = |(name, run): (&str, fn())| {
        let run = move || {
            run();
            Ok(())
        };
        Trial::test(format!("policy::{name}"), run)
    };
    let all: [(&str, fn()); 64] = [
        ("a_profile_is_what_its_checks_declare", layers::a_profile_is_what_its_checks_declare),
        ("audit_refuses_nothing", layers::audit_refuses_nothing),
        ("a_pin_keeps_later_checks_to_warnings", layers::a_pin_keeps_later_checks_to_warnings),
        ("the_more_specific_word_wins", layers::the_more_specific_word_wins),
        ("a_match_narrows_a_check", selectors::a_match_narrows_a_check),
        ("what_hangs_on_unknown_labels_is_silent", selectors::what_hangs_on_unknown_labels_is_silent),
        ("extra_of_another_shape_says_nothing", selectors::extra_of_another_shape_says_nothing),
        ("extra_is_read_where_it_decides", selectors::extra_is_read_where_it_decides),
        ("groups_are_read_where_they_decide", selectors::groups_are_read_where_they_decide),
        ("only_what_is_meant_is_waited_for", waiting::only_what_is_meant_is_waited_for),
        ("what_is_exempted_is_not_waited_for", waiting::what_is_exempted_is_not_waited_for),
        ("labels_that_decide_are_waited_for", waiting::labels_that_decide_are_waited_for),
        ("schemas_matter_to_checks_about_their_kinds", waiting::schemas_matter_to_checks_about_their_kinds),
        ("an_exemption_holds_warns_and_ends", exemptions::an_exemption_holds_warns_and_ends),
        ("an_exemption_lets_only_what_it_names_pass", exemptions::an_exemption_lets_only_what_it_names_pass),
        ("a_handover_lets_two_namespaces_share_a_host", exemptions::a_handover_lets_two_namespaces_share_a_host),
        ("a_handover_lets_a_wildcard_take_a_host", exemptions::a_handover_lets_a_wildcard_take_a_host),
        ("a_wildcard_takes_nothing_from_what_is_no_name", exemptions::a_wildcard_takes_nothing_from_what_is_no_name),
        ("what_is_no_name_conflicts_with_nothing", exemptions::what_is_no_name_conflicts_with_nothing),
        ("a_solver_is_known_by_its_paths_too", exemptions::a_solver_is_known_by_its_paths_too),
        ("marks_count_at_home_only", exemptions::marks_count_at_home_only),
        ("an_author_silences_warnings_only", exemptions::an_author_silences_warnings_only),
        ("an_author_never_silences_an_old_denial", exemptions::an_author_never_silences_an_old_denial),
        ("an_author_silences_no_audit", many::an_author_silences_no_audit),
        ("a_refusal_displaces_a_warning", many::a_refusal_displaces_a_warning),
        ("no_new_fault_hides_among_many_old_ones", many::no_new_fault_hides_among_many_old_ones),
        (
            "old_refusals_beyond_those_that_are_kept_are_forgiven",
            many::old_refusals_beyond_those_that_are_kept_are_forgiven,
        ),
        ("a_drifted_field_warns_and_hides_nothing", unreadable::a_drifted_field_warns_and_hides_nothing),
        ("nothing_is_missed_at_a_drifted_field", unreadable::nothing_is_missed_at_a_drifted_field),
        ("a_decisive_field_of_another_type_is_refused", unreadable::a_decisive_field_of_another_type_is_refused),
        (
            "an_update_of_the_unreadable_passes_only_if_nothing_is_changed",
            unreadable::an_update_passes_only_if_nothing_is_changed,
        ),
        ("foreign_names_can_be_hidden", names::foreign_names_can_be_hidden),
        ("own_names_are_never_hidden", names::own_names_are_never_hidden),
        ("owners_can_be_hidden", names::owners_can_be_hidden),
        ("every_denial_is_invalid", names::every_denial_is_invalid),
        ("a_reserved_host_is_answered_with_retry", reservations::a_reserved_host_is_answered_with_retry),
        ("updates_and_generated_names_reserve", reservations::updates_and_generated_names_reserve),
        ("a_reservation_ends_with_what_becomes_of_it", reservations::a_reservation_ends_with_what_becomes_of_it),
        ("a_claim_is_not_reserved_in_vain_twice", reservations::a_claim_is_not_reserved_in_vain_twice),
        (
            "what_was_reserved_in_vain_takes_no_other_host_along",
            reservations::what_was_reserved_in_vain_takes_no_other_host_along,
        ),
        ("a_listener_of_connections_is_reserved", reservations::a_listener_of_connections_is_reserved),
        (
            "an_update_that_joins_a_load_balancer_is_reserved",
            reservations::an_update_that_joins_a_load_balancer_is_reserved,
        ),
        (
            "hosts_of_annotations_and_certificates_meet_reservations",
            reservations::hosts_of_annotations_and_certificates_meet_reservations,
        ),
        ("a_full_table_costs_the_largest_namespace", reservations::a_full_table_costs_the_largest_namespace),
        ("a_view_of_files_reserves_nothing", reservations::a_view_of_files_reserves_nothing),
        ("of_many_at_once_one_is_admitted", reservations::of_many_at_once_one_is_admitted),
        ("includes_of_others_refuse_no_part", consent::includes_of_others_refuse_no_part),
        ("who_multiplies_is_refused", consent::who_multiplies_is_refused),
        ("an_include_of_others_keeps_nobody_from_a_root", consent::an_include_of_others_keeps_nobody_from_a_root),
        ("a_delegation_of_others_keeps_nobody_from_a_root", consent::a_delegation_of_others_keeps_nobody_from_a_root),
        ("a_prefix_of_others_binds_by_consent_only", consent::a_prefix_of_others_binds_by_consent_only),
        ("an_escape_is_refused", consent::an_escape_is_refused),
        ("a_chain_of_others_refuses_no_delegation", consent::a_chain_of_others_refuses_no_delegation),
        ("the_first_two_lines_must_be_ours", errors::the_first_two_lines_must_be_ours),
        ("errors_of_grammar_name_place_and_word", errors::errors_of_grammar_name_place_and_word),
        ("errors_of_meaning_name_place_and_word", errors::errors_of_meaning_name_place_and_word),
        ("what_must_be_said_is_what_pages_say", errors::what_must_be_said_is_what_pages_say),
        ("all_errors_of_meaning_are_told_at_once", errors::all_errors_of_meaning_are_told_at_once),
        ("off_needs_no_quotes", errors::off_needs_no_quotes),
        ("the_kep_page_says_what_the_profile_does", kep::the_page_says_what_the_profile_does),
        ("the_kep_page_has_eighteen_rows", kep::the_page_has_eighteen_rows_and_its_links_hold),
        ("the_kep_page_names_all_that_differs", kep::the_page_names_all_that_differs_from_baseline),
        ("the_schema_takes_what_the_reader_takes", schema::takes_what_the_reader_takes),
        ("the_schema_knows_every_key", schema::knows_every_key),
    ];
    all.into_iter().map(trial).collect()
}
