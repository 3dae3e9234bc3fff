//! Laws that hold for every object, held against oracles that share no code with what they judge. All randomness comes from a seed,
//! which a failure names.

mod agree;
mod agree_http_proxy;
mod attach;
mod balance;
mod delegation;
mod discretion;
mod given_back;
mod hosts;
mod index;
mod meets;
mod needs;
mod owners;
mod ratchet;
pub mod rng;
mod same;
mod spelled;

use libtest_mimic::Trial;

use crate::harness::{on_contour, on_gateway_api};

pub fn trials() -> Vec<Trial> {
    let trial = |(name, run): (&str, fn())| {
        let run = move || {
            run();
            Ok(())
        };
        Trial::test(format!("properties::{name}"), run)
    };
    let all: &[(&str, fn())] = &[
        ("reordering_makes_no_new_fault", ratchet::reordering_makes_no_new_fault),
        ("an_added_rule_is_refused_for_its_own_faults", ratchet::an_added_rule_is_refused_for_its_own_faults),
        ("spelling_makes_no_new_fault", ratchet::spelling_makes_no_new_fault),
        ("the_old_object_is_judged_in_its_own_class", ratchet::the_old_object_is_judged_in_its_own_class),
        ("what_is_not_changed_is_never_refused", ratchet::what_is_not_changed_is_never_refused),
        ("what_is_not_changed_is_never_put_off", ratchet::what_is_not_changed_is_never_put_off),
        ("the_index_answers_as_a_scan_does", index::answers_as_a_scan_does),
        ("across_kinds_the_index_answers_as_a_scan_does", hosts::across_kinds_the_index_answers_as_a_scan_does),
        ("a_check_asks_for_what_it_declares", needs::a_check_asks_for_what_it_declares),
        ("a_check_declares_what_it_asks_for", needs::a_check_declares_what_it_asks_for),
        ("a_plan_needs_what_its_parts_need", needs::a_plan_needs_what_its_parts_need),
        ("a_review_has_one_answer", same::a_review_has_one_answer),
        ("a_view_given_back_between_checks_changes_no_judgement", given_back::between_two_checks),
        ("a_host_belongs_to_whom_most_specific_entry_names", owners::of_precise_hosts),
        ("a_wide_claim_takes_nobody_elses_host", owners::of_wide_claims),
        ("delegations_kept_up_to_date_are_as_anew", delegation::kept_up_to_date_is_as_anew),
        ("verdicts_on_delegations_are_as_the_rules_say", delegation::verdicts_are_as_the_rules_say),
        ("delegations_close_cycles_as_every_way_says", delegation::cycles_are_closed_as_every_way_says),
        ("chains_of_delegations_are_as_long_as_the_longest_way", delegation::chains_are_as_long_as_the_longest_way),
        ("a_shared_chain_of_delegations_is_walked_once", delegation::a_shared_chain_is_walked_once),
        ("what_the_gate_lets_in_is_not_invalid", agree::what_may_come_in_is_not_invalid),
        ("gate_and_explain_agree_on_http_proxies", agree_http_proxy::gate_and_explain_agree),
        ("what_is_wrong_by_itself_is_refused_by_the_same_name", agree::what_is_wrong_by_itself_is_refused_by_name),
        ("listeners_take_a_route_as_the_procedure_says", attach::as_the_procedure_says),
        ("who_balances_otherwise_is_found_as_by_a_look_at_all", balance::otherwise_as_a_look_at_all),
        ("hosts_have_in_common_what_every_name_says", meets::have_in_common_what_every_name_says),
        ("objects_of_built_in_kinds_are_read_in_any_spelling", spelled::of_built_in_kinds),
        ("hosts_are_the_same_in_another_spelling", meets::are_the_same_in_another_spelling),
        ("no_message_holds_what_only_others_hold", discretion::no_message_holds_what_only_others_hold),
    ];
    let with_modules = [
        on_gateway_api("properties::objects_of_gateway_kinds_are_read_in_any_spelling", spelled::of_gateway_kinds),
        on_contour("properties::objects_of_delegation_kinds_are_read_in_any_spelling", spelled::of_delegation_kinds),
    ];
    all.iter().copied().map(trial).chain(with_modules).collect()
}
