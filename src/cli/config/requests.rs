//! The requests of a file of test cases: which objects answer them, and which rules and kinds of requests have no test.

use std::path::PathBuf;

use crate::cli::print_text;
use crate::cli::source::{KINDS, Source, serving_if};
use portcullis_core::checks::Plan;
use portcullis_core::explain::{Request, Scope, Snapshot};
use portcullis_core::message::sanitize;
use portcullis_core::suite::{Coverage, TestSuite};

/// A request, and how its answer differs from what is expected.
pub(super) struct RequestResult {
    pub(super) name: String,
    pub(super) mismatches: Vec<String>,
}

/// Asks the requests of a file. Also returns which rules have a test.
pub(super) fn run(suite: &TestSuite, roots: &[PathBuf], plan: &Plan) -> anyhow::Result<(Vec<RequestResult>, Coverage)> {
    let source = Source::of_files(roots, serving_if(suite.complete), "cluster")?;
    let objects = source.stored();
    let snapshot = Snapshot::new(&objects, &source.cluster, plan.config());
    let missing = |answer: &_, scope: &Scope| source.missing(answer, scope, KINDS);
    let results = suite.requests.iter().map(|case| {
        let mismatches = case.run(&snapshot, missing).iter().map(|mismatch| sanitize(mismatch)).collect();
        RequestResult { name: case.name.value.clone(), mismatches }
    });
    Ok((results.collect(), Coverage::of(&snapshot, &suite.requests)))
}

/// The maximum number of requests without a test that are named.
const MAX_NAMED: usize = 20;

/// Prints how many rules and how many kinds of requests have a test and, if `lists_untested`, the others.
pub(super) fn print_coverage(coverage: &Coverage, lists_untested: bool) -> anyhow::Result<()> {
    let unknown = match coverage.unknown.len() {
        0 => String::new(),
        1 => ", in addition to those of 1 host whose requests cannot be determined".to_owned(),
        count => format!(", in addition to those of {count} hosts whose requests cannot be determined"),
    };
    let words = if coverage.rules == 1 { "rule has" } else { "rules have" };
    let mut text = format!("  {} of {} {words} a test{unknown}\n", coverage.tested(), coverage.rules);
    if lists_untested {
        let rules = coverage.untested.iter().map(|(object, field)| format!("{object} {field}"));
        text.extend(rules.chain(coverage.unknown.iter().cloned()).map(|line| format!("        {}\n", sanitize(&line))));
    }
    let (kinds, unvisited) = (coverage.regions, coverage.unvisited.as_slice());
    let words = if kinds == 1 {
        "kind of request for the tested hosts has"
    } else {
        "kinds of requests for the tested hosts have"
    };
    text.push_str(&format!("  {} of {kinds} {words} a test\n", kinds - unvisited.len()));
    if lists_untested {
        text.extend(
            unvisited.iter().take(MAX_NAMED).map(|request| format!("        {}\n", sanitize(&words_of(request)))),
        );
        if let Some(more) = unvisited.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
            text.push_str(&format!("        and {more} more\n"));
        }
    }
    print_text(&text)
}

/// A request as a case has it, with its headers.
fn words_of(request: &Request) -> String {
    let headers: Vec<String> = request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let headers = if headers.is_empty() { String::new() } else { format!(" with {}", headers.join(", ")) };
    format!("{} {}{headers}", request.method, request.url())
}
