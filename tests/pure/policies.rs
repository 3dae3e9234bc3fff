//! The page on policies of other engines: its examples, its links, and the checks that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use portcullis_core::checks::{Check, registry};
use portcullis_core::finding::Action;
use portcullis_core::message::{Disclosure, render_cause};
use portcullis_testing::config::plan;
use portcullis_testing::golden;
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::judge_by;
use portcullis_testing::repository::{read, root};
use regex::Regex;

const FILE: &str = "docs/policies.md";

/// Each finding that denies the object of an example, one per line.
fn denials(example: &Example) -> String {
    let config = example.config.as_deref().expect("an example has a configuration");
    let any: &Check = registry::find("ingress/class-not-allowed").expect("a check that runs on writes");
    let outcome = judge_by(&plan(config), any, example, &[]);
    let denied = outcome.findings.iter().filter(|evaluated| evaluated.action == Action::Deny);
    let line = |(at, message): (String, String)| format!("{at}: {message}\n");
    denied
        .map(|evaluated| line((evaluated.finding.at.to_string(), render_cause(&evaluated.finding, Disclosure::All))))
        .collect()
}

/// Objects with findings are denied for exactly these, and the others are admitted. Each configuration has both.
#[test]
fn each_configuration_refuses_and_admits_what_the_page_says() {
    let mut page = read(FILE);
    let (mut counts, mut wrong) = (BTreeMap::<String, [usize; 2]>::new(), Vec::new());
    for example in examples(&page.clone()) {
        let (expected, found) = (example.findings.clone().unwrap_or_default(), denials(&example));
        counts.entry(example.config.clone().unwrap_or_default()).or_default()[usize::from(expected.is_empty())] += 1;
        if found == expected {
            continue;
        }
        if golden::is_updated() && !found.is_empty() && !expected.is_empty() {
            let start = page.find(&example.yaml).expect("the example is on the page") + example.yaml.len();
            let from = start + page[start..].find("```findings\n").expect("it has findings") + "```findings\n".len();
            page.replace_range(from..from + expected.len(), &found);
        } else {
            wrong.push(format!("{}\nis:\n{found}should be:\n{expected}", example.yaml));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if golden::is_updated() {
        fs::write(root().join(FILE), &page).expect("the documentation is writable");
    }
    let lacking = counts.iter().filter(|(_, [refused, admitted])| *refused == 0 || *admitted == 0);
    assert_eq!(lacking.collect::<Vec<_>>(), [], "these have no refused or no admitted object");
    assert!(counts.len() > 10, "only {} configurations", counts.len());
}

/// Each check that the tables name exists, and each link to a heading has a heading with a configuration.
#[test]
fn tables_name_existing_checks_and_examples() {
    let page = read(FILE);
    let families: BTreeSet<_> =
        registry::all().filter_map(|check| check.id.split_once('/')).map(|(family, _)| family).collect();
    let id = Regex::new("`([a-z-]+)/([a-z-]+)[ `]").expect("the pattern is valid");
    let named = id
        .captures_iter(&page)
        .filter(|found| families.contains(&found[1]))
        .map(|found| format!("{}/{}", &found[1], &found[2]));
    let named: BTreeSet<String> = named.collect();
    let unknown: Vec<_> = named.iter().filter(|id| registry::find(id).is_none()).collect();
    assert_eq!(unknown, [""; 0], "no such check");
    assert!(named.len() > 15, "only {named:?}");

    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    let headings: BTreeSet<String> = headings.map(|title| title.to_lowercase().replace(' ', "-")).collect();
    let link = Regex::new(r"\(#([a-z-]+)\)").expect("the pattern is valid");
    let linked: BTreeSet<String> = link.captures_iter(&page).map(|found| found[1].to_owned()).collect();
    assert_eq!(linked, headings, "links to examples, and examples");
}
