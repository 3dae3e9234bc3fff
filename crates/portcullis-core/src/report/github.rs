//! Renders a report as GitHub workflow commands, which annotate the lines of a pull request.

use super::{ObjectFindings, Position, Report, ReportedFinding, Source, TEMPLATE, UnreadDocument};
use crate::finding::Action;
use crate::message::sanitize;

/// One workflow command for each finding, for everything that was not checked, and for all templates, by weight, file and line. GitHub shows the first ten
/// errors, warnings and notices of a step.
pub fn render(report: &Report) -> String {
    let all = report.entries.iter().flat_map(|entry| entry.findings.iter().map(move |finding| (entry, finding)));
    let findings = all.map(|(entry, finding)| of_finding(entry, finding));
    let not_checked = report.not_checked();
    let (templates, others): (Vec<&UnreadDocument>, Vec<_>) =
        not_checked.iter().partition(|unread| unread.cause == TEMPLATE);
    let others = others.into_iter().map(|unread| of_unread(unread, ""));
    let templates = templates.split_first().map(|(first, rest)| of_unread(first, &more(rest.len())));
    let mut commands: Vec<(Order, String)> = findings.chain(others).chain(templates).collect();
    commands.sort_by(|(left, _), (right, _)| left.cmp(right));
    let notes = report.notes().into_iter().map(|note| line("notice", &Source::default(), "portcullis", &note));
    commands.into_iter().map(|(_, command)| command).chain(notes).collect()
}

/// What decides the order of commands: the weight, the file and the position.
type Order = (Weight, Option<String>, Option<Position>);

/// The weight of a command. What was not checked makes the step fail, so it comes before the warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Denied,
    NotChecked,
    Warned,
}

impl Weight {
    /// The level of the annotation.
    const fn level(self) -> &'static str {
        match self {
            Self::Denied => "error",
            Self::NotChecked | Self::Warned => "warning",
        }
    }
}

fn of_finding(entry: &ObjectFindings, reported: &ReportedFinding) -> (Order, String) {
    let finding = &reported.evaluated.finding;
    let weight = if reported.evaluated.action == Action::Deny { Weight::Denied } else { Weight::Warned };
    let source = Source { position: reported.position.or(entry.source.position), ..entry.source.clone() };
    let at = finding.at.text();
    let at = if at.is_empty() { at } else { format!("{at}: ") };
    let message = format!("{}: {at}{}", entry.object, reported.message());
    command(weight, &source, finding.check, &message)
}

/// A command for what was not checked; `more` is the end of its message.
fn of_unread(unread: &UnreadDocument, more: &str) -> (Order, String) {
    let title = format!("not checked: {}", unread.cause);
    command(Weight::NotChecked, &unread.source, &title, &format!("{}{more}", unread.message))
}

/// The number of other templates. A chart has many, and GitHub shows ten warnings.
fn more(templates: usize) -> String {
    match templates {
        0 => String::new(),
        1 => " (and 1 more template)".to_owned(),
        count => format!(" (and {count} more templates)"),
    }
}

fn command(weight: Weight, source: &Source, title: &str, message: &str) -> (Order, String) {
    ((weight, source.path(), source.position), line(weight.level(), source, title, message))
}

pub(super) fn line(level: &str, source: &Source, title: &str, message: &str) -> String {
    let mut properties: Vec<String> = Vec::new();
    if let Some(path) = source.path() {
        properties.push(format!("file={}", property(&path)));
        if let Some(position) = source.position {
            properties.push(format!("line={},col={}", position.line, position.column));
        }
    }
    properties.push(format!("title={}", property(title)));
    format!("::{level} {}::{}\n", properties.join(","), data(message))
}

/// An untrusted text in one line, and with its `%` escaped, which begins the escape sequences of GitHub.
fn data(text: &str) -> String {
    sanitize(text).replace('%', "%25")
}

/// The characters that would end a property, escaped.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_value_can_end_a_command_or_a_property() {
        let source = Source { file: "a,b:c%\n.yaml".to_owned(), ..Source::default() };
        assert_eq!(
            line("error", &source, "host/x", "50% of a::b\r\n::error::c"),
            "::error file=a%2Cb%3Ac%25\\n.yaml,title=host/x::50%25 of a::b\\r\\n::error::c\n"
        );
    }

    #[test]
    fn nothing_in_a_name_can_control_a_terminal() {
        let source = Source { file: "\u{1b}]0;\u{9b}\u{202e}\0.yaml".to_owned(), ..Source::default() };
        assert_eq!(
            line("error", &source, "\u{1b}[2J", "\u{85}\u{200e}"),
            r"::error file=\u{1b}]0;\u{9b}\u{202e}\u{0}.yaml,title=\u{1b}[2J::\u{85}\u{200e}".to_owned() + "\n"
        );
    }

    /// GitHub annotates a line only if the path is that of the repository.
    #[test]
    fn a_path_is_that_of_the_repository() {
        let position = Some(crate::report::Position { line: 3, column: 5 });
        let line =
            |file: &str| line("error", &Source { file: file.to_owned(), document: None, position }, "a/b", "text");
        for (file, expected) in [
            ("x.yaml", "file=x.yaml,line=3,col=5,"),
            ("./x.yaml", "file=x.yaml,line=3,col=5,"),
            (".//a/./x.yaml", "file=a/x.yaml,line=3,col=5,"),
            ("../x.yaml", "file=../x.yaml,line=3,col=5,"),
            ("/a//x.yaml", "file=/a/x.yaml,line=3,col=5,"),
            ("<stdin>", ""),
            ("", ""),
        ] {
            assert_eq!(line(file), format!("::error {expected}title=a/b::text\n"), "{file}");
        }
    }
}
