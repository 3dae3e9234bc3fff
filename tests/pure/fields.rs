//! Determines whether a check reads a field: the page of the check must have an example whose findings change if only
//! that field changes, at its address or at another address where the API has the same structure.

mod carried;

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use portcullis::files;
use portcullis_core::checks::{Check, Plan, Run};
use portcullis_core::finding::{Action, Finding};
use portcullis_core::kinds::Kind;
use portcullis_core::validation::RuleFn;
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::{judge_by, plan};
use serde_json::Value;

use self::carried::carried;

/// A text that is not valid in any of our fields, but fits the type of every text field.
const ODD: &str = "Odd text";

/// The examples on the page of a check, read once for all fields.
pub struct Shown {
    check: &'static Check,
    examples: Vec<Read>,
}

/// An example, with the reviewed object as on the page and at other addresses, the other objects, and the plan.
struct Read {
    example: Example,
    reviewed: Vec<Reviewed>,
    others: Vec<Value>,
    plan: Arc<Plan>,
}

/// An object under review, and its findings, once they are needed; `None` if it cannot be reviewed.
struct Reviewed {
    object: Value,
    findings: OnceCell<Option<Findings>>,
}

/// The findings of one check.
type Findings = Vec<(Finding, Action)>;

impl Shown {
    pub fn on_page_of(check: &'static Check) -> Self {
        let read = |example: Example| {
            let mut others: Vec<Value> = serde_saphyr::from_multiple(&example.yaml).expect("an example is YAML");
            let reviewed = others.remove(0);
            let reviewed = std::iter::once(reviewed.clone()).chain(carried(&reviewed));
            let reviewed = reviewed.map(|object| Reviewed { object, findings: OnceCell::new() }).collect();
            let plan = plan(check, &example);
            Read { example, reviewed, others, plan }
        };
        Self { check, examples: examples(check.page).into_iter().map(read).collect() }
    }

    /// Whether the outcome of an example that reviews an object of `kind` changes if `field` is removed or gets another
    /// text. `field` is written as in tests/fields.tsv: `[]` for each element of a list, `{}` for each value of a map.
    pub fn depends_on(&self, kind: &str, field: &str) -> bool {
        self.examples.iter().any(|read| {
            let reviewed =
                read.reviewed.iter().filter(|reviewed| is_seen_as(kind, &reviewed.object["kind"], self.check));
            let mut pairs = reviewed
                .flat_map(|reviewed| changed(&reviewed.object, field).into_iter().map(move |other| (reviewed, other)));
            pairs.any(|(reviewed, other)| self.differs(read, reviewed, other))
        })
    }

    /// Whether `reviewed` and `other` have different findings, given that both can be reviewed.
    fn differs(&self, read: &Read, reviewed: &Reviewed, other: Value) -> bool {
        let findings = |object: Value| {
            let example = with_reviewed(&read.example, object, &read.others);
            is_readable(&example, 1 + read.others.len()).then(|| found(&read.plan, self.check, &example))
        };
        let before = || reviewed.findings.get_or_init(|| findings(reviewed.object.clone()));
        findings(other).is_some_and(|after| *before() != Some(after))
    }
}

/// Whether an example with an object of kind `example` shows how `check` handles objects of `kind`: the kinds are
/// equal, or the check handles both alike.
fn is_seen_as(kind: &str, example: &Value, check: &Check) -> bool {
    let judges =
        |name: &str| Kind::ALL.into_iter().any(|kind| kind.api().kind == name && check.run.kinds().contains(kind));
    let sees_alike = matches!(
        check.run,
        Run::Route(_)
            | Run::RouteParts(_)
            | Run::Destinations(_)
            | Run::L4Route(_)
            | Run::Listeners(_)
            | Run::Rule(RuleFn::Listeners(_) | RuleFn::Route(_) | RuleFn::RouteParts(_))
    );
    *example == *kind || (sees_alike && judges(kind) && example.as_str().is_some_and(judges))
}

/// Variants of the object for each occurrence of `field`: one without the field, and one with another text.
fn changed(object: &Value, field: &str) -> Vec<Value> {
    let steps: Vec<&str> = field.split('.').collect();
    let mut all = Vec::new();
    for place in places(object, &steps) {
        let (parent, last) = place.rsplit_once('/').expect("a place is below the object");
        let mut without = object.clone();
        match without.pointer_mut(parent) {
            Some(Value::Object(fields)) => drop(fields.remove(&unescaped(last))),
            Some(Value::Array(elements)) => drop(elements.remove(last.parse().expect("an element has an index"))),
            _ => continue,
        }
        let mut odd = object.clone();
        match odd.pointer_mut(parent) {
            Some(Value::Object(fields)) => drop(fields.insert(unescaped(last), ODD.into())),
            Some(Value::Array(elements)) => {
                elements[last.parse::<usize>().expect("an element has an index")] = ODD.into()
            }
            _ => continue,
        }
        all.extend([without, odd]);
    }
    all
}

/// The JSON pointers of a field: where it exists, and where it may be added because its parent exists.
fn places(value: &Value, steps: &[&str]) -> Vec<String> {
    let Some((step, rest)) = steps.split_first() else { return vec![String::new()] };
    let name = step.trim_end_matches("[]").trim_end_matches("{}");
    let Value::Object(fields) = value else { return Vec::new() };
    let below = |pointer: String, value: &Value| {
        places(value, rest).into_iter().map(|place| format!("{pointer}{place}")).collect::<Vec<_>>()
    };
    match fields.get(name) {
        Some(Value::Array(elements)) if step.ends_with("[]") => {
            let each = elements.iter().enumerate();
            each.flat_map(|(index, element)| below(format!("/{name}/{index}"), element)).collect()
        }
        Some(Value::Object(entries)) if step.ends_with("{}") => {
            entries.iter().flat_map(|(key, value)| below(format!("/{name}/{}", escaped(key)), value)).collect()
        }
        Some(field) => below(format!("/{name}"), field),
        None if rest.is_empty() && *step == name => vec![format!("/{name}")],
        None => Vec::new(),
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

fn with_reviewed(example: &Example, reviewed: Value, rest: &[Value]) -> Example {
    let documents = std::iter::once(&reviewed).chain(rest).map(Value::to_string);
    Example { yaml: documents.collect::<Vec<_>>().join("\n---\n"), ..example.clone() }
}

/// Whether each document is still an object that can be reviewed. An object without a name or of another API cannot be.
fn is_readable(example: &Example, documents: usize) -> bool {
    let contents = files::parse(Path::new("page.md"), &example.yaml);
    contents.unread.is_empty() && contents.manifests.len() + contents.secrets.len() == documents
}

/// The findings and actions of the check itself, without message arguments, since these may contain fields that affect
/// nothing else.
fn found(plan: &Plan, check: &Check, example: &Example) -> Findings {
    let own = judge_by(plan, check, example, &[])
        .findings
        .into_iter()
        .filter(|evaluated| evaluated.finding.check == check.id);
    own.map(|evaluated| {
        let mut finding = evaluated.finding;
        finding.message.args.clear();
        (finding, evaluated.action)
    })
    .collect()
}
