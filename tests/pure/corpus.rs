//! Real manifests with the verdicts of a real API server: objects that it accepts are not denied, and objects that it
//! refuses are denied.
//!
//! The manifests are read from `../shared/corpus` beside the checkout, if that exists, and never copied.

mod evaluation;

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;

use portcullis_core::finding::Action;

use self::evaluation::{EvaluatedCorpus, LintResult, evaluated_corpus};

/// The environment variable with the path of a file to which a test writes the number of findings of each check.
const TABLE: &str = "PORTCULLIS_CORPUS_TABLE";

/// Denials that are correct although the API server accepts the object.
const DEVIATIONS: &str = include_str!("../corpus.tsv");

/// At most one of this number of accepted objects may be denied.
const ACCEPTED_PER_FALSE_REFUSAL: usize = 2000;
/// At least this number of 100 refused objects must be denied here, too.
const FOUND_PER_HUNDRED: usize = 95;

#[test]
fn accepted_manifests_are_not_denied() {
    with_corpus(accepted_is_not_refused);
}

#[test]
fn rejected_manifests_are_denied() {
    with_corpus(refused_is_refused);
}

#[test]
fn repository_adds_only_denials_for_conflicts() {
    with_corpus(worlds_add_only_collisions);
}

#[test]
fn the_findings_of_each_check_are_counted() {
    with_corpus(findings_are_counted);
}

fn with_corpus(test: fn(&EvaluatedCorpus)) {
    match evaluated_corpus() {
        Some(corpus) => test(corpus),
        None => println!("there is no ../shared/corpus/real-manifests.json.gz: nothing is evaluated"),
    }
}

fn accepted_is_not_refused(corpus: &EvaluatedCorpus) {
    let accepted = corpus.manifests.iter().filter(|manifest| manifest.is_accepted());
    let (count, mut wrong, mut reasons) = (accepted.clone().count(), Vec::new(), BTreeMap::new());
    for manifest in accepted {
        let verdict = &corpus.alone[manifest.index];
        for (id, message) in verdict.denials() {
            match reason(id, message) {
                Some(reason) => *reasons.entry((id, reason)).or_insert(0) += 1,
                None => wrong.push(format!("{manifest}: {message}")),
            }
        }
        wrong.extend(verdict.unread.iter().map(|why| format!("{manifest}: {why}")));
    }
    for ((id, reason), times) in &reasons {
        println!("refused {times} times by {id}, which is right: {reason}");
    }
    println!("{} false refusals of {count} accepted objects\n{}", wrong.len(), wrong.join("\n"));
    assert!(wrong.len() * ACCEPTED_PER_FALSE_REFUSAL <= count, "too many false refusals:\n{}", wrong.join("\n"));
}

fn refused_is_refused(corpus: &EvaluatedCorpus) {
    let refused = corpus.manifests.iter().filter(|manifest| !manifest.is_accepted());
    let count = refused.clone().count();
    let missed = refused.filter(|manifest| !corpus.alone[manifest.index].is_refused());
    let missed: Vec<String> = missed.map(ToString::to_string).collect();
    let found = count - missed.len();
    println!("{found} of {count} refused objects are refused here too; missed:\n{}", missed.join("\n"));
    assert!(found * 100 >= count * FOUND_PER_HUNDRED, "{found} of {count}; missed:\n{}", missed.join("\n"));
}

/// With the other objects of its repository, an object has no more denials than alone, except those that name another
/// object.
fn worlds_add_only_collisions(corpus: &EvaluatedCorpus) {
    let mut wrong = Vec::new();
    for manifest in &corpus.manifests {
        let (alone, among) = (&corpus.alone[manifest.index], &corpus.among[manifest.index]);
        let is_new = |id: &str| !alone.denials().any(|(known, _)| known == id);
        let refusals = among.findings.iter().filter(|finding| finding.action == Action::Deny && is_new(finding.id));
        wrong.extend(refusals.filter(|finding| !finding.names_other).map(|finding| format!("{manifest}: {finding}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn findings_are_counted(corpus: &EvaluatedCorpus) {
    let mut table = String::from("id\tdenied\twarned\n");
    for (id, [denied, warned]) in counts(&corpus.among) {
        writeln!(table, "{id}\t{denied}\t{warned}").expect("a text takes more");
    }
    println!("{table}");
    if let Some(file) = env::var_os(TABLE) {
        std::fs::write(file, table).expect("the table can be written");
    }
}

fn counts(verdicts: &[LintResult]) -> BTreeMap<&'static str, [usize; 2]> {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for finding in verdicts.iter().flat_map(|verdict| &verdict.findings) {
        counts.entry(finding.id).or_default()[usize::from(finding.action == Action::Warn)] += 1;
    }
    counts
}

/// Why denying an object that the API server accepts is correct, if it is.
fn reason(id: &str, message: &str) -> Option<&'static str> {
    let rows = DEVIATIONS.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [id, text, reason] = cells[..] else { panic!("a row has three cells: {line}") };
        (id, text, reason)
    });
    let mut rows = rows.filter(|(named, text, _)| *named == id && message.contains(text));
    rows.next().map(|(_, _, reason)| reason)
}
