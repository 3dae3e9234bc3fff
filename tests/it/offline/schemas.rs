//! The formats of `lint` against what reads them: the JSON schema, the elements and attributes that readers of JUnit reports
//! expect, and the grammar of GitHub's workflow commands.

use std::fs;

use portcullis_testing::json_schema::close;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use regex::Regex;
use serde_json::Value;

use super::{folder, ingress, lint};

/// Files with a denial, a warning, a document that is not read, and names that every format must escape.
fn files() -> Vec<(&'static str, String)> {
    vec![
        ("a,b:c%<&>.yaml", ingress("web", "bad", "Shop_x.example.com", "/")),
        ("b.yaml", ingress("web", "warned", "b.example.com", "/").replace("spec:", "spec:\n  ingressClas: \"50%::\"")),
        ("c.yaml", "kind: Ingress\nspec: [\n".to_owned()),
        ("d.yaml", ingress("web", "good", "good.example.com", "/")),
    ]
}

fn printed(format: &str, files: &[(&str, String)]) -> String {
    filtered(format, files, &[])
}

fn filtered(format: &str, files: &[(&str, String)], filters: &[&str]) -> String {
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    lint(folder(&files).path(), &[&["-o", format], filters].concat()).1
}

fn schema() -> Value {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.schema.json");
    serde_json::from_str(&fs::read_to_string(file).expect("the schema is in the repository")).expect("JSON")
}

pub(super) fn json_follows_its_schema() {
    let mut schema = schema();
    close(&mut schema);
    let validator = jsonschema::validator_for(&schema).expect("the schema is valid");
    for files in [files(), files().split_off(3)] {
        let report: Value = serde_json::from_str(&printed("json", &files)).expect("JSON");
        let errors: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{report}");
    }
    let mut report: Value = serde_json::from_str(&printed("json", &files())).expect("JSON");
    assert!(report["findings"].as_array().is_some_and(|findings| findings.len() > 1), "{report}");
    report["findings"][0]["more"] = 1.into();
    assert!(!validator.is_valid(&report), "the schema does not notice another field");
    report["findings"][0].as_object_mut().expect("an object").remove("more");
    report["findings"][0].as_object_mut().expect("an object").remove("check");
    assert!(!validator.is_valid(&report), "the schema does not notice a missing field");
}

/// An element of a JUnit report: its required attributes, and the elements that it may contain, in this order.
const ELEMENTS: [(&str, &[&str], &[&str]); 7] = [
    ("testsuites", &[], &["testsuite"]),
    ("testsuite", &["name", "tests", "failures", "errors"], &["testcase"]),
    ("testcase", &["name", "classname"], &["skipped", "error", "failure", "system-out"]),
    ("skipped", &["message"], &[]),
    ("error", &["type", "message"], &[]),
    ("failure", &["type", "message"], &[]),
    ("system-out", &[], &[]),
];

/// What is wrong in the XML.
fn faults_of_junit(xml: &str) -> Vec<String> {
    let (mut reader, mut faults) = (Reader::from_str(xml), Vec::new());
    // The open elements, each with the position of its last child in the order.
    let mut open: Vec<(usize, usize)> = Vec::new();
    loop {
        match reader.read_event() {
            Err(error) => return vec![error.to_string()],
            Ok(Event::Eof) => return faults,
            Ok(Event::Start(start)) => faults.extend(opened(&start, &mut open)),
            Ok(Event::Empty(start)) => {
                faults.extend(opened(&start, &mut open));
                open.pop();
            }
            Ok(Event::End(_)) => _ = open.pop(),
            Ok(_) => {}
        }
    }
}

fn opened(start: &BytesStart<'_>, open: &mut Vec<(usize, usize)>) -> Vec<String> {
    let name = start.name().as_ref().to_owned();
    let Some(element) = ELEMENTS.iter().position(|(own, ..)| *own == name) else {
        return vec![format!("{name}: unknown")];
    };
    let mut faults = Vec::new();
    match open.last_mut() {
        None if name == "testsuites" => {}
        None => faults.push(format!("{name} is the root")),
        Some((parent, last)) => match ELEMENTS[*parent].2.iter().position(|child| *child == name) {
            Some(position) if position >= *last => *last = position,
            _ => faults.push(format!("{name} is out of place in {}", ELEMENTS[*parent].0)),
        },
    }
    let given: Vec<String> =
        start.attributes().map(|attribute| attribute.expect("well-formed").key.as_ref().to_owned()).collect();
    let missing = ELEMENTS[element].1.iter().filter(|required| !given.iter().any(|given| given == *required));
    faults.extend(missing.map(|missing| format!("{name} has no {missing}")));
    open.push((element, 0));
    faults
}

pub(super) fn junit_follows_its_schema() {
    let filtered = filtered("junit", &files(), &["--action", "warn"]);
    assert_eq!(faults_of_junit(&filtered), Vec::<String>::new(), "{filtered}");
    assert!(filtered.contains("<skipped") && filtered.contains(" skipped=\"1\""), "{filtered}");
    let xml = printed("junit", &files());
    assert_eq!(faults_of_junit(&xml), Vec::<String>::new(), "{xml}");
    for element in ["failure", "error", "system-out"] {
        assert!(xml.contains(&format!("<{element}")), "{element}: {xml}");
    }
    let misplaced = filtered.replace("<skipped", "<system-out/><skipped");
    assert!(!faults_of_junit(&misplaced).is_empty(), "a skipped case after its output is not noticed");
    assert!(!faults_of_junit(&xml.replace(" classname=", " class=")).is_empty(), "a missing attribute is not noticed");
    assert!(!faults_of_junit(&xml.replace("testsuites", "testsuite")).is_empty(), "a wrong root is not noticed");
}

pub(super) fn github_commands_follow_their_grammar() {
    let value = r"(?:[^%\r\n:,]|%25|%0D|%0A|%3A|%2C)*";
    let grammar =
        format!(r"\A::(?:error|warning|notice) [a-z]+={value}(?:,[a-z]+={value})*::(?:[^%\r\n]|%25|%0D|%0A)+\z");
    let grammar = Regex::new(&grammar).expect("a valid expression");
    let text = printed("github", &files());
    for line in text.lines() {
        assert!(grammar.is_match(line), "{line}");
    }
    assert!(text.contains("a%2Cb%3Ac%25<&>.yaml,line="), "{text}");
    assert!(text.lines().any(|line| line.starts_with("::error ")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("::warning ") && line.contains("title=not checked")), "{text}");
    assert!(!grammar.is_match("::error file=a:b::c") && !grammar.is_match("::error file=a::50% c"));
}

pub(super) fn each_format_says_that_nothing_was_checked() {
    let service = vec![("a.yaml", "kind: Service\napiVersion: v1\nmetadata: {name: a}\n".to_owned())];
    for (format, words) in [
        ("text", "0 objects, "),
        ("json", "\"objects\": 0"),
        ("sarif", "0 objects were checked"),
        ("junit", "tests=\"0\""),
        ("github", "::notice title=portcullis::0 objects were checked"),
        ("openreports", "# 0 objects were checked"),
    ] {
        let text = printed(format, &service);
        assert!(text.contains(words), "{format}: {text}");
    }
}
