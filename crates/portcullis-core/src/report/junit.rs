//! Renders a report as JUnit XML: a suite for each file, or for each namespace of a cluster, and a case for each object.

use std::collections::BTreeMap;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::{ObjectFindings, Report, ReportedFinding, UnreadDocument};
use crate::finding::Action;
use crate::message::sanitize;

/// The cases of one suite.
#[derive(Default)]
struct Suite<'r> {
    checked: Vec<&'r ObjectFindings>,
    unread: Vec<&'r UnreadDocument>,
}

impl Suite<'_> {
    fn failures(&self) -> usize {
        self.checked.iter().filter(|entry| entry.count(Action::Deny) > 0).count()
    }

    fn tests(&self) -> usize {
        self.checked.len() + self.unread.len()
    }
}

/// The report as XML. Denials are failures, documents that were not checked are errors, and warnings are the output of
/// a case.
pub fn render(report: &Report) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let not_checked = report.not_checked();
    let suites = suites(report, &not_checked);
    // Writing to memory cannot fail.
    let written = write(&mut writer, &suites, &report.hidden_notes());
    debug_assert!(written.is_ok());
    let mut text = String::from_utf8(writer.into_inner()).unwrap_or_default();
    text.push('\n');
    text
}

/// The suites by name.
fn suites<'r>(report: &'r Report, not_checked: &'r [UnreadDocument]) -> BTreeMap<&'r str, Suite<'r>> {
    let mut suites: BTreeMap<&str, Suite<'_>> = BTreeMap::new();
    for entry in &report.entries {
        let name = if entry.source.file.is_empty() { &entry.object.namespace } else { &entry.source.file };
        suites.entry(name).or_default().checked.push(entry);
    }
    for unread in not_checked.iter().filter(|unread| !unread.is_partly_checked) {
        let namespace = unread.object.as_ref().map_or("", |object| &object.namespace);
        let name = if unread.source.file.is_empty() { namespace } else { &unread.source.file };
        suites.entry(name).or_default().unread.push(unread);
    }
    suites
}

type Written = std::io::Result<()>;

fn write(writer: &mut Writer<Vec<u8>>, suites: &BTreeMap<&str, Suite<'_>>, hidden: &[String]) -> Written {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let count = |number: fn(&Suite<'_>) -> usize| suites.values().map(number).sum::<usize>();
    let tests = count(|suite| suite.tests()) + usize::from(!hidden.is_empty());
    let mut root = BytesStart::new("testsuites");
    root.push_attribute(("name", "portcullis"));
    root.push_attribute(("tests", &*tests.to_string()));
    root.push_attribute(("failures", &*count(|suite| suite.failures()).to_string()));
    root.push_attribute(("errors", &*count(|suite| suite.unread.len()).to_string()));
    writer.write_event(Event::Start(root))?;
    for (name, suite) in suites {
        write_suite(writer, if name.is_empty() { "the cluster" } else { name }, suite)?;
    }
    if !hidden.is_empty() {
        write_hidden(writer, &hidden.join("; "))?;
    }
    writer.write_event(Event::End(BytesEnd::new("testsuites")))
}

/// A suite with one skipped case, so that findings that a filter has removed are not taken for an all-clear.
fn write_hidden(writer: &mut Writer<Vec<u8>>, note: &str) -> Written {
    start_suite(writer, "portcullis", &[("tests", 1), ("failures", 0), ("errors", 0), ("skipped", 1)])?;
    start_case(writer, "portcullis", "hidden findings")?;
    let mut skipped = BytesStart::new("skipped");
    skipped.push_attribute(("message", note));
    writer.write_event(Event::Empty(skipped))?;
    writer.write_event(Event::End(BytesEnd::new("testcase")))?;
    writer.write_event(Event::End(BytesEnd::new("testsuite")))
}

fn write_suite(writer: &mut Writer<Vec<u8>>, name: &str, suite: &Suite<'_>) -> Written {
    let name = sanitize(name);
    let counts = [("tests", suite.tests()), ("failures", suite.failures()), ("errors", suite.unread.len())];
    start_suite(writer, &name, &counts)?;
    for entry in &suite.checked {
        write_object(writer, &name, entry)?;
    }
    for unread in &suite.unread {
        start_case(writer, &name, &unread.title())?;
        write_problem(writer, ("error", unread.cause), unread.cause, &sanitize(&unread.message))?;
        writer.write_event(Event::End(BytesEnd::new("testcase")))?;
    }
    writer.write_event(Event::End(BytesEnd::new("testsuite")))
}

fn write_object(writer: &mut Writer<Vec<u8>>, suite: &str, entry: &ObjectFindings) -> Written {
    start_case(writer, suite, &entry.object.to_string())?;
    let lines = |action: Action| {
        let found = entry.findings.iter().filter(|finding| finding.evaluated.action == action).map(line);
        let omitted = entry.omitted_findings.iter().filter(|omitted| omitted.action == action);
        let omitted = omitted.map(|omitted| format!("and {} more [{}]", omitted.count, omitted.check));
        found.chain(omitted).collect::<Vec<_>>()
    };
    let (denials, warnings) = (lines(Action::Deny), lines(Action::Warn));
    if let Some(first) = denials.first() {
        // A case has one failure at most.
        write_problem(writer, ("failure", Action::Deny.name()), first, &denials.join("\n"))?;
    }
    if !warnings.is_empty() {
        writer.write_event(Event::Start(BytesStart::new("system-out")))?;
        writer.write_event(Event::Text(BytesText::new(&warnings.join("\n"))))?;
        writer.write_event(Event::End(BytesEnd::new("system-out")))?;
    }
    writer.write_event(Event::End(BytesEnd::new("testcase")))
}

fn start_suite(writer: &mut Writer<Vec<u8>>, name: &str, counts: &[(&str, usize)]) -> Written {
    let mut suite = BytesStart::new("testsuite");
    suite.push_attribute(("name", name));
    counts.iter().for_each(|(what, count)| suite.push_attribute((*what, &*count.to_string())));
    writer.write_event(Event::Start(suite))
}

fn start_case(writer: &mut Writer<Vec<u8>>, suite: &str, name: &str) -> Written {
    let mut case = BytesStart::new("testcase");
    case.push_attribute(("classname", suite));
    case.push_attribute(("name", &*sanitize(name)));
    writer.write_event(Event::Start(case))
}

fn write_problem(writer: &mut Writer<Vec<u8>>, (element, kind): (&str, &str), message: &str, text: &str) -> Written {
    let mut start = BytesStart::new(element);
    start.push_attribute(("type", kind));
    start.push_attribute(("message", message));
    writer.write_event(Event::Start(start))?;
    writer.write_event(Event::Text(BytesText::new(text)))?;
    writer.write_event(Event::End(BytesEnd::new(element)))
}

/// A finding with its position.
fn line(reported: &ReportedFinding) -> String {
    let finding = &reported.evaluated.finding;
    let position = reported.position.map(|position| format!("{}:{}: ", position.line, position.column));
    let at = sanitize(&finding.at.text());
    let at = if at.is_empty() { at } else { format!("{at}: ") };
    format!("{}{at}{}", position.unwrap_or_default(), reported.message())
}
