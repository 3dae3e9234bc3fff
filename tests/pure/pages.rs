//! Evaluates the page of every check: the findings match the page exactly, and the other examples have no findings.

use portcullis_core::checks::{Check, When, registry};
use portcullis_core::finding::Action;
use portcullis_core::message::{Disclosure, GROWING, PREEXISTING, render_cause};
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::{config_text, judge};
use portcullis_testing::{each, golden};

/// With `PAGE=FAMILY` or `PAGE=FAMILY/CHECK`, only these pages, so that `just bless-page` can update them.
#[test]
fn each_page_is_true() {
    let wanted = std::env::var("PAGE").unwrap_or_default();
    let pages = registry::all().filter(|check| check.id.starts_with(&wanted));
    each(pages, |check| check.id.to_owned(), |check| is_true(check));
}

#[test]
fn each_option_is_in_an_example() {
    let is_shown = |check: &Check, option: &str| {
        let mut examples = examples(check.page).into_iter();
        examples.any(|example| config_text(check, &example).contains(&format!("{option}:")))
    };
    for check in registry::all() {
        for option in check.options.iter().map(|option| option.name()) {
            assert!(is_shown(check, option), "no example of {} has the option `{option}`", check.id);
        }
    }
}

fn is_true(check: &Check) {
    let examples = examples(check.page);
    assert!(check.page.starts_with(&format!("# `{}`\n", check.id)), "the title of a page is the id of its check");
    // No example of ordinary size makes a review take too long.
    let has_found = check.when != When::GivenUp;
    for heading in ["## Why", "## What to do", "## Not found"].into_iter().chain(has_found.then_some("## Found")) {
        assert!(check.page.contains(&format!("\n{heading}\n")), "the page lacks `{heading}`");
    }
    assert_eq!(examples.iter().any(|example| example.findings.is_some()), has_found, "an example is found");
    assert!(examples.iter().any(|example| example.findings.is_none()), "no example passes");
    for (index, example) in examples.iter().enumerate() {
        let expected = example.findings.clone().unwrap_or_default();
        let found = found(check, example, &expected);
        // If an example no longer has findings, or has its first ones, a person must change the page.
        let can_be_updated = !found.is_empty() && !expected.is_empty();
        match found == expected {
            false if can_be_updated && golden::is_updated() => golden::update_page(check.id, &examples, index, &found),
            _ => assert_eq!(found, expected, "of {}", example.yaml),
        }
    }
}

/// The findings of `check` for an example in the format of a page. A page may begin a line with `Warn` or `Deny`. Only
/// then is the action part of the comparison, and where a check that denies only warns.
fn found(check: &Check, example: &Example, expected: &str) -> String {
    let says = |line: Option<&str>| line.is_some_and(|line| line.starts_with("Warn ") || line.starts_with("Deny "));
    let mut expected = expected.lines();
    let judgement = judge(check, example);
    let own = judgement.findings.iter().filter(|evaluated| evaluated.finding.check == check.id);
    let lines = own.map(|evaluated| {
        let message = render_cause(&evaluated.finding, Disclosure::All);
        let message = message.strip_suffix(&format!(" [{}]", check.id)).expect("a sentence ends with its id");
        let address = evaluated.finding.at.to_string();
        let mark = match evaluated {
            evaluated if evaluated.is_preexisting => PREEXISTING,
            evaluated if evaluated.is_growing => GROWING,
            _ => "",
        };
        let is_lowered = check.actions.baseline == Action::Deny && evaluated.finding.at_most < Action::Deny;
        let action = if says(expected.next()) || is_lowered { format!("{} ", evaluated.action) } else { String::new() };
        format!("{action}{} {address}: {mark}{message}\n", check.id)
    });
    lines.collect()
}
