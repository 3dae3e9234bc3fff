//! The pages in `docs/status`: each example gets the status that the page says, and each heading is shown by an example.

use portcullis_testing::repository::{files, read};
use portcullis_testing::status::{StatusSection, missing, sections, statuses};
use serde_json::Value;

/// All sections, with the name of their page.
fn all() -> Vec<(String, StatusSection)> {
    let pages = files("docs/status");
    let sections =
        pages.iter().flat_map(|page| sections(&read(page)).into_iter().map(|section| (page.clone(), section)));
    sections.collect()
}

#[test]
fn each_example_gets_its_status() {
    let (mut examples, mut failures) = (0, Vec::new());
    for (page, section) in all() {
        for example in &section.examples {
            let actual = statuses(example);
            for (reference, expected) in &example.expected {
                let found = actual.get(reference).unwrap_or(&Value::Null);
                if let Some(missing) = missing(expected, found) {
                    failures.push(format!("{page}, {}: {reference}{missing}\nof {found:#}", section.title));
                }
                examples += 1;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(examples > 0, "no page has an example");
}

/// A heading such as `` `Accepted` is `False`: `InvalidParameters` `` names a condition that an example of its section
/// must show. A heading without quoted words is about other fields.
#[test]
fn each_heading_is_shown() {
    for (page, section) in all() {
        let quoted: Vec<&str> = section.title.split('`').skip(1).step_by(2).collect();
        let [type_name, status, reason] = quoted[..] else {
            assert_eq!(quoted, [""; 0], "{page}: a heading quotes the type, the status and the reason of a condition");
            let mut expected = section.examples.iter().flat_map(|example| example.expected.values());
            assert!(expected.any(|value| !value.is_null()), "{page}: `{}` has no example", section.title);
            continue;
        };
        let is_shown = |value: &Value| {
            conditions(value).iter().any(|condition| {
                condition["type"] == type_name && condition["status"] == status && condition["reason"] == reason
            })
        };
        let shown = section.examples.iter().flat_map(|example| example.expected.values()).any(is_shown);
        assert!(shown, "{page}: no example of the section `{}` expects it", section.title);
    }
}

/// All conditions anywhere in a status.
fn conditions(value: &Value) -> Vec<&Value> {
    match value {
        Value::Object(map) => {
            let own = map.get("conditions").and_then(Value::as_array).into_iter().flatten();
            own.chain(map.values().flat_map(conditions)).collect()
        }
        Value::Array(list) => list.iter().flat_map(conditions).collect(),
        _ => Vec::new(),
    }
}
