//! What the words of the configuration mean, seen through the answers to reviews.

mod asked;
mod errors;
mod exemptions;
mod kep;
mod layers;
mod names;
mod promises;
mod schema;
mod selectors;
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
    let all: [(&str, fn()); 42] = [
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
        ("foreign_names_can_be_hidden", names::foreign_names_can_be_hidden),
        ("own_names_are_never_hidden", names::own_names_are_never_hidden),
        ("owners_can_be_hidden", names::owners_can_be_hidden),
        ("only_tenancy_is_forbidden", names::only_tenancy_is_forbidden),
        ("a_host_is_kept_for_the_root_that_was_let_in", promises::a_host_is_kept_for_the_root_that_was_let_in),
        ("a_promise_ends_with_what_becomes_of_it", promises::a_promise_ends_with_what_becomes_of_it),
        ("who_shows_nothing_promises_nothing", promises::who_shows_nothing_promises_nothing),
        ("of_many_at_once_one_is_let_in", promises::of_many_at_once_one_is_let_in),
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
