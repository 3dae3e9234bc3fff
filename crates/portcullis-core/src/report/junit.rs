//! Renders a report as JUnit XML: a suite for each file or for each namespace, and a case for each object.

use std::collections::BTreeMap;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::{Grouping, ObjectFindings, Report, ReportedFinding, Source, UnreadDocument};
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::message::sanitize;

/// The cases of one suite.
#[derive(Default)]
struct Suite<'r> {
    checked: Vec<&'r ObjectFindings>,
    unread: Vec<&'r UnreadDocument>,
    /// Whether the name of the suite is not that of the file, so that the text of a case contains it.
    names_files: bool,
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
pub fn render(report: &Report, grouping: Grouping) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let not_checked = report.not_checked();
    let suites = suites(report, &not_checked, grouping);
    // Writing to memory cannot fail.
    let written = write(&mut writer, &suites, &report.hidden_notes());
    debug_assert!(written.is_ok());
    let mut text = String::from_utf8(writer.into_inner()).unwrap_or_default();
    text.push('\n');
    text
}

/// The suites by name. A document whose namespace is not known is in a suite of its file.
fn suites<'r>(
    report: &'r Report,
    not_checked: &'r [UnreadDocument],
    grouping: Grouping,
) -> BTreeMap<&'r str, Suite<'r>> {
    let mut suites: BTreeMap<&str, Suite<'_>> = BTreeMap::new();
    let name = |source: &'r Source, object: Option<&'r ObjectRef>| match object {
        Some(object) if grouping == Grouping::ByNamespace || source.file.is_empty() => (&*object.namespace, true),
        _ => (&*source.file, false),
    };
    for entry in &report.entries {
        let (name, names_files) = name(&entry.source, Some(&entry.object));
        let suite = suites.entry(name).or_default();
        suite.names_files |= names_files;
        suite.checked.push(entry);
    }
    for unread in not_checked.iter().filter(|unread| !unread.is_partly_checked) {
        let (name, names_files) = name(&unread.source, unread.object.as_ref());
        let suite = suites.entry(name).or_default();
        suite.names_files |= names_files;
        suite.unread.push(unread);
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
        let file = if suite.names_files { &*entry.source.file } else { "" };
        write_object(writer, (&name, file), entry)?;
    }
    for unread in &suite.unread {
        start_case(writer, &name, &unread.title())?;
        let file = if suite.names_files { &*unread.source.file } else { "" };
        let message = if file.is_empty() { unread.message.clone() } else { format!("{file}: {}", unread.message) };
        write_problem(writer, ("error", unread.cause), unread.cause, &sanitize(&message))?;
        writer.write_event(Event::End(BytesEnd::new("testcase")))?;
    }
    writer.write_event(Event::End(BytesEnd::new("testsuite")))
}

fn write_object(writer: &mut Writer<Vec<u8>>, (suite, file): (&str, &str), entry: &ObjectFindings) -> Written {
    start_case(writer, suite, &entry.object.to_string())?;
    let lines = |action: Action| {
        let found = entry.findings.iter().filter(|finding| finding.evaluated.action == action);
        let found = found.map(|finding| line(finding, file));
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

/// A finding with its position, which `file` begins unless it is empty.
fn line(reported: &ReportedFinding, file: &str) -> String {
    let finding = &reported.evaluated.finding;
    let position = reported.position.map(|position| format!("{}:{}", position.line, position.column));
    let file = (!file.is_empty()).then(|| sanitize(file));
    let at = Some(sanitize(&finding.at.text())).filter(|at| !at.is_empty());
    let place = [file, position].into_iter().flatten().collect::<Vec<_>>().join(":");
    let parts = [Some(place).filter(|place| !place.is_empty()), at, Some(reported.message())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
}
