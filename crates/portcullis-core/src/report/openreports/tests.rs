//! How findings are divided into reports, and what each result says.

use serde_json::Value;

use super::*;
use crate::checks::{EvaluatedFinding, Outcome};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, KindSet};
use crate::report::RequestedKinds;

/// Adds an object with one finding about `value`.
fn add(report: &mut Report, object: &ObjectRef, action: Action, value: &str) {
    let mut findings = Vec::new();
    Findings::of("host/path-conflict", &mut findings).duplicate(At::field("spec"), value, "{} is taken");
    let evaluate =
        |finding| EvaluatedFinding { finding, action, is_preexisting: false, is_growing: false, is_silenced: false };
    let findings = findings.into_iter().map(evaluate).collect();
    report.add(Source::default(), object, Outcome { findings, ..Outcome::default() });
}

fn ingress(namespace: &str, name: &str) -> ObjectRef {
    ObjectRef::new(Kind::Ingress, namespace, name)
}

fn read(report: &Report) -> Vec<Value> {
    let text = render(report);
    serde_saphyr::from_multiple(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn results(document: &Value) -> &[Value] {
    document["results"].as_array().expect("a list")
}

#[test]
fn each_namespace_has_its_own_report() {
    let mut report = Report::default();
    add(&mut report, &ingress("web", "shop"), Action::Warn, "/");
    add(&mut report, &ingress("team-b", "shop"), Action::Deny, "/");
    add(&mut report, &ObjectRef::new(Kind::GatewayClass, "", "public"), Action::Warn, "/");
    let documents = read(&report);
    let named = |document: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        [&document["kind"], &document["metadata"]["namespace"], &document["metadata"]["name"]].map(text)
    };
    let expected =
        [["ClusterReport", "", "portcullis"], ["Report", "team-b", "portcullis"], ["Report", "web", "portcullis"]];
    assert_eq!(documents.iter().map(named).collect::<Vec<_>>(), expected.map(|names| names.map(str::to_owned)));
    let result = &results(&documents[1])[0];
    assert_eq!(
        (&result["result"], &result["severity"], &result["scored"]),
        (&"fail".into(), &"high".into(), &true.into())
    );
    assert_eq!((&documents[1]["summary"]["fail"], &documents[1]["summary"]["warn"]), (&1.into(), &0.into()));
    assert_ne!(result["properties"][RESULT_ID], results(&documents[2])[0]["properties"][RESULT_ID]);
}

#[test]
fn the_order_of_objects_does_not_matter() {
    let objects = [ingress("web", "b"), ingress("web", "a"), ingress("team-b", "a")];
    let rendered = |order: [usize; 3]| {
        let mut report = Report::default();
        order.iter().for_each(|index| add(&mut report, &objects[*index], Action::Deny, "/"));
        render(&report)
    };
    assert_eq!(rendered([0, 1, 2]), rendered([2, 0, 1]));
}

#[test]
fn many_results_are_divided() {
    let mut report = Report::default();
    for index in 0..=MAX_RESULTS {
        add(&mut report, &ingress("web", &format!("shop-{index}")), Action::Deny, "/");
    }
    let documents = read(&report);
    let parts = documents.iter().map(|document| (document["metadata"]["name"].as_str(), results(document).len()));
    assert_eq!(parts.collect::<Vec<_>>(), [(Some("portcullis"), MAX_RESULTS), (Some("portcullis-2"), 1)]);
}

#[test]
fn large_results_are_shortened_and_divided() {
    let (mut report, count) = (Report::default(), 200);
    for index in 0..count {
        add(&mut report, &ingress("web", &format!("shop-{index}")), Action::Deny, &"\u{1f980}".repeat(2 * SHOWN));
    }
    let documents = read(&report);
    assert!(documents.len() > 2, "{} reports", documents.len());
    assert_eq!(documents.iter().map(|document| results(document).len()).sum::<usize>(), count);
    for document in &documents {
        assert!(document.to_string().len() < 3 << 19, "more than etcd stores");
    }
}

#[test]
fn two_definitions_of_an_object_have_different_ids() {
    let mut report = Report::default();
    add(&mut report, &ingress("web", "shop"), Action::Deny, "/");
    add(&mut report, &ingress("web", "shop"), Action::Deny, "/");
    let documents = read(&report);
    let ids: Vec<&Value> = results(&documents[0]).iter().map(|result| &result["properties"][RESULT_ID]).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn unchecked_objects_and_kinds_are_errors() {
    let unreadable = KindSet::of(&[Kind::Ingress]);
    let kinds = Some(RequestedKinds { requested: unreadable, unreadable });
    let unread = UnreadDocument {
        source: Source { file: "a.yaml".to_owned(), document: Some(1), position: None },
        cause: "unknown kind or version",
        message: "no kind `Ingres`\u{1b}".to_owned(),
        object: Some(ingress("web", "shop")),
        is_partly_checked: false,
        is_beside: false,
    };
    let documents = read(&Report { kinds, unread: vec![unread], ..Report::default() });
    let [of_cluster, of_web] = &documents[..] else { panic!("{documents:?}") };
    assert_eq!((&of_cluster["kind"], &of_web["kind"]), (&"ClusterReport".into(), &"Report".into()));
    for document in &documents {
        let [result] = results(document) else { panic!("{document}") };
        assert_eq!((&result["result"], &result["policy"]), (&"error".into(), &NOT_CHECKED.into()));
        assert_eq!(document["summary"]["error"], 1);
    }
    assert_eq!(results(of_web)[0]["properties"]["file"], "a.yaml");
    assert_eq!(results(of_web)[0]["message"], r"no kind `Ingres`\u{1b}");
}

#[test]
fn notes_are_comments() {
    let report = Report { others: 2, ..Report::default() };
    assert_eq!(render(&report), "# 0 objects were checked; 2 documents or files were skipped\n");
}
