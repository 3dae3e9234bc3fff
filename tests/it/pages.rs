//! Runs every page beside a check: what is said to be found is found, to the letter, and what is said to pass passes.

use libtest_mimic::{Failed, Trial};
use portcullis_core::checks::{Check, registry};
use portcullis_testing::golden;
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::judge;

/// One trial a page, so that `just bless` can be given one page or the pages of one family.
pub fn trials() -> Vec<Trial> {
    let page = |check: &'static Check| Trial::test(format!("page::{}", check.id), move || run(check));
    registry::all().map(page).collect()
}

fn run(check: &'static Check) -> Result<(), Failed> {
    let examples = examples(check.page);
    assert!(check.page.starts_with(&format!("# `{}`\n", check.id)), "the title of a page is the id of its check");
    for heading in ["## Why", "## What to do", "## Found", "## Not found"] {
        assert!(check.page.contains(&format!("\n{heading}\n")), "the page lacks `{heading}`");
    }
    assert!(examples.iter().any(|example| example.findings.is_some()), "no example is found");
    assert!(examples.iter().any(|example| example.findings.is_none()), "no example passes");
    for (index, example) in examples.iter().enumerate() {
        let expected = example.findings.clone().unwrap_or_default();
        let found = found(check, example, &expected);
        // An example in which nothing is found any more, or only now, is a matter for whoever reads it.
        let can_be_updated = !found.is_empty() && !expected.is_empty();
        match found == expected {
            false if can_be_updated && golden::is_updated() => golden::update_page(check.id, &examples, index, &found),
            _ => assert_eq!(found, expected, "of {}", example.yaml),
        }
    }
    Ok(())
}

/// The findings of `check` on an example, as a page writes them. A page may write in front of a finding whether it warns or refuses; what
/// it does is written in front of the findings of which the page says so.
fn found(check: &Check, example: &Example, expected: &str) -> String {
    let says = |line: Option<&str>| line.is_some_and(|line| line.starts_with("warn ") || line.starts_with("deny "));
    let mut expected = expected.lines();
    let judgement = judge(check, example);
    let own = judgement.findings.iter().filter(|judged| judged.finding.check == check.id);
    let lines = own.map(|judged| {
        let message =
            portcullis_core::message::render_cause(&judged.finding, portcullis_core::message::Disclosure::All);
        let message = message.strip_suffix(&format!(" [{}]", check.id)).expect("a sentence ends with its id");
        let address = judged.finding.at.to_string();
        let mark = if judged.is_preexisting { "already present, tolerated: " } else { "" };
        let action = if says(expected.next()) { judged.action.name().to_lowercase() + " " } else { String::new() };
        format!("{action}{} {address}: {mark}{message}\n", check.id)
    });
    lines.collect()
}
