//! `portcullis explain`: the examples of the design document, and the output of the program.

mod document;
mod program;
mod recorded;

use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let trial = |(name, run): (&str, fn())| {
        let run = move || {
            run();
            Ok(())
        };
        Trial::test(format!("explain::{name}"), run)
    };
    let all: [(&str, fn()); 15] = [
        ("path_table_of_kep_758_holds", document::table_of_paths),
        ("host_examples_of_kep_758_hold", document::examples_of_hosts),
        ("output_matches_golden_files", program::output_matches_golden_files),
        ("json_has_just_these_fields", program::json_has_just_these_fields),
        ("a_bad_secret_serves_no_tls", program::a_bad_secret_serves_no_tls),
        ("wrong_usage_is_reported", program::wrong_usage_is_reported),
        ("invalid_objects_are_explained", program::invalid_objects_are_explained),
        (
            "losing_route_is_explained_by_the_reached_listener",
            program::losing_route_is_explained_by_the_reached_listener,
        ),
        ("a_class_that_does_not_exist_is_marked", program::a_class_that_does_not_exist_is_marked),
        (
            "rules_of_other_hosts_show_only_what_is_misspelled",
            program::rules_of_other_hosts_show_only_what_is_misspelled,
        ),
        ("an_unknown_gateway_or_class_is_an_error", program::an_unknown_gateway_or_class_is_an_error),
        ("the_page_shows_the_example_and_its_output", recorded::the_page_shows_the_example_and_its_output),
        ("recorded_answers_pass_until_they_change", recorded::recorded_answers_pass_until_they_change),
        ("what_is_recorded_fails_when_it_is_gone", recorded::what_is_recorded_fails_when_it_is_gone),
        ("what_cannot_be_recorded_is_reported", recorded::what_cannot_be_recorded_is_reported),
    ];
    all.into_iter().map(trial).chain([program::live_trial()]).collect()
}
