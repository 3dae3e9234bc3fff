//! The options and the output of the commands that report findings: formats, filters and exit codes.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use anyhow::Context;
use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::named_value::one_of;
use super::{exit, ignore_closed_pipe, print_assumed_bundle, print_expirations};
use crate::files::some_of;
use portcullis_core::checks::Plan;
use portcullis_core::config::Theme;
use portcullis_core::finding::Action;
use portcullis_core::message::{SHOWN, sanitize, truncate};
use portcullis_core::report::{FindingFilter, Grouping, Report, github, json, junit, openreports, sarif, text};

/// The options of the commands that report findings.
#[derive(Debug, Args)]
pub(super) struct FindingArgs {
    /// The output format: text (the default), json, sarif, junit, github or openreports. With `=FILE`, the report is written to this
    /// file; may be repeated, for several formats in one run. Standard output gets text unless one of them is without a file.
    #[arg(short = 'o', long = "output", value_name = "FORMAT[=FILE]", value_parser = parse_output)]
    outputs: Vec<Output>,
    /// Exit with code 1 if there is a finding with this action or a stricter one.
    #[arg(long, value_name = "ACTION", ignore_case = true, default_value = "Deny", value_parser = one_of([Action::Warn, Action::Deny], Action::name))]
    fail_on: Action,
    /// Print only the findings that make the exit code 1, and no notes.
    #[arg(short, long)]
    quiet: bool,
    /// Print the number of findings by check and by namespace instead of the findings, as text. JSON always contains these numbers.
    #[arg(long)]
    summary: bool,
    /// Report only findings of this check, or of a family as `ingress/*`; may be repeated.
    #[arg(long = "check", value_name = "ID", value_delimiter = ',')]
    checks: Vec<String>,
    /// Report only findings of this theme; may be repeated.
    #[arg(long = "theme", ignore_case = true, value_delimiter = ',', value_parser = one_of(Theme::ALL, Theme::name))]
    themes: Vec<Theme>,
    /// Show only findings with this action; may be repeated. The exit code counts the others, too.
    #[arg(long = "action", ignore_case = true, value_delimiter = ',', value_parser = one_of([Action::Warn, Action::Deny], Action::name))]
    actions: Vec<Action>,
    /// Report only objects of this namespace; may be repeated. A trailing `*` matches anything.
    #[arg(long = "only-namespace", value_name = "NAMESPACE", value_delimiter = ',')]
    only_namespaces: Vec<String>,
    /// Whether to color the text.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

/// A format, and where it is written.
#[derive(Debug, Clone)]
struct Output {
    format: Format,
    /// The file; `None` for standard output.
    file: Option<PathBuf>,
}

/// Parses `FORMAT` or `FORMAT=FILE`.
fn parse_output(written: &str) -> Result<Output, String> {
    let (format, file) = written.split_once('=').map_or((written, None), |(format, file)| (format, Some(file)));
    let names = || Format::value_variants().iter().filter_map(Format::to_possible_value);
    let format = Format::from_str(format, false).map_err(|_| {
        let names: Vec<String> = names().map(|value| value.get_name().to_owned()).collect();
        format!("use one of {}", names.join(", "))
    })?;
    match file {
        Some("") => Err(format!("`{written}` names no file")),
        file => Ok(Output { format, file: file.map(PathBuf::from) }),
    }
}

/// The output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people.
    #[default]
    Text,
    /// JSON, as documented in docs/report-json.md.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for test reports.
    Junit,
    /// GitHub workflow commands, which annotate the lines of a pull request.
    Github,
    /// Reports of OpenReports as YAML, for Policy Reporter.
    #[value(name = "openreports")]
    OpenReports,
}

/// When text is colored.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Color {
    /// On terminals, unless the environment says otherwise (`NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`).
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Prints why documents are not read, each reason once. Of an object that is checked in part, a finding says what is not read.
fn print_unread(report: &Report) {
    let (mut reasons, mut numbers) = (Vec::<(&str, Vec<&str>)>::new(), HashMap::new());
    for unread in report.unread.iter().filter(|unread| !unread.is_partly_checked && !unread.source.file.is_empty()) {
        let file = unread.source.file.as_str();
        let number = *numbers.entry(unread.message.as_str()).or_insert_with(|| {
            reasons.push((&unread.message, Vec::new()));
            reasons.len() - 1
        });
        let files = &mut reasons[number].1;
        // The documents of a file follow each other.
        if files.last() != Some(&file) {
            files.push(file);
        }
    }
    for (message, files) in reasons {
        eprintln!("portcullis: {}", truncate(&format!("{}: {message}", some_of(&files)), SHOWN));
    }
}

impl FindingArgs {
    /// Whether notes are printed to standard error.
    pub(super) const fn has_notes(&self) -> bool {
        !self.quiet
    }

    /// Fails if a filter cannot select anything, or if an option does not apply to the format.
    pub(super) fn validate(&self) -> anyhow::Result<()> {
        let files: Vec<Option<&PathBuf>> = self.outputs.iter().map(|output| output.file.as_ref()).collect();
        if let Some(file) =
            files.iter().enumerate().find_map(|(index, file)| files[..index].contains(file).then_some(file))
        {
            let place = file.map_or_else(|| "standard output".to_owned(), |file| file.display().to_string());
            anyhow::bail!(
                "--output: two formats for {place}; write one of them to a file, as in `-o sarif=report.sarif`"
            );
        }
        anyhow::ensure!(
            !self.summary || self.printed() == Format::Text,
            "--summary is for `--output text`; `summary` of `--output json` always contains the same numbers"
        );
        self.filter().validate().map_err(anyhow::Error::msg)
    }

    /// The format on standard output.
    fn printed(&self) -> Format {
        self.outputs.iter().find(|output| output.file.is_none()).map(|output| output.format).unwrap_or_default()
    }

    /// Whether only some namespaces are reported.
    pub(super) const fn has_namespaces(&self) -> bool {
        !self.only_namespaces.is_empty()
    }

    /// What is judged.
    fn filter(&self) -> FindingFilter {
        let (checks, themes) = (self.checks.clone(), self.themes.clone());
        FindingFilter { checks, themes, namespaces: self.only_namespaces.clone(), ..FindingFilter::default() }
    }

    /// What of it is shown.
    fn shown(&self) -> FindingFilter {
        let quiet = if self.quiet {
            Action::ALL.into_iter().filter(|action| *action >= self.fail_on).collect()
        } else {
            Vec::new()
        };
        let actions = if self.actions.is_empty() { quiet } else { self.actions.clone() };
        FindingFilter { actions, ..FindingFilter::default() }
    }

    /// Prints the selected findings and the notes about them. Returns the exit code, which does not depend on the actions
    /// that are shown.
    pub(super) fn print(&self, mut report: Report, plan: &Plan, grouping: Grouping) -> anyhow::Result<ExitCode> {
        self.validate_namespaces(&report)?;
        report.retain(&self.filter());
        let (code, failures) = (exit::of(&report, self.fail_on), report.count_at_least(self.fail_on));
        print_unread(&report);
        report.retain(&self.shown());
        if report.count_at_least(self.fail_on) == 0 {
            report.hidden_failures = failures;
        }
        if self.has_notes() {
            print_expirations(plan, &report, Timestamp::now());
            print_assumed_bundle(&report);
        }
        for output in &self.outputs {
            if let Some(file) = &output.file {
                let text = self.render(output.format, &report, grouping);
                let plain = anstream::adapter::strip_str(&text).to_string();
                fs::write(file, plain).with_context(|| format!("--output {}", file.display()))?;
            }
        }
        let format = self.printed();
        self.write(format, &self.render(format, &report, grouping))?;
        if let Some(note) = report.hidden_failures_note().filter(|_| self.quiet) {
            eprintln!("portcullis: {note}");
        }
        Ok(ExitCode::from(code))
    }

    /// Fails if a namespace to report does not exist. Prints a warning if it may be that of a document that was not read.
    fn validate_namespaces(&self, report: &Report) -> anyhow::Result<()> {
        let Some(existing) = &report.namespaces else { return Ok(()) };
        let Err(error) = self.filter().validate_namespaces(existing) else { return Ok(()) };
        let unknown = report.unread.iter().filter(|unread| unread.object.is_none()).count();
        anyhow::ensure!(unknown > 0, "--only-namespace: {error}");
        let unread = if unknown == 1 { "document was" } else { "documents were" };
        eprintln!(
            "portcullis: warning: --only-namespace: {}; {unknown} {unread} not read and may be in it",
            sanitize(&error)
        );
        Ok(())
    }

    fn render(&self, format: Format, report: &Report, grouping: Grouping) -> String {
        match format {
            Format::Text => self.render_text(report, grouping),
            Format::Json => json::render(report),
            Format::Sarif => sarif::render(report),
            Format::Junit => junit::render(report, grouping),
            Format::Github => github::render(report),
            Format::OpenReports => openreports::render(report),
        }
    }

    fn render_text(&self, report: &Report, grouping: Grouping) -> String {
        let body = match (self.summary, grouping) {
            (true, _) => text::render_totals(report),
            (false, Grouping::ByFile) => text::render(report),
            (false, Grouping::ByNamespace) => text::render_by_namespace(report),
        };
        if self.quiet { body } else { body + &text::render_summary(report) }
    }

    /// Writes to standard output, with colors if it is a terminal.
    fn write(&self, format: Format, text: &str) -> anyhow::Result<()> {
        let choice = match (format, self.color) {
            (Format::Text, Color::Auto) => return ignore_closed_pipe(anstream::stdout().write_all(text.as_bytes())),
            (Format::Text, Color::Always) => ColorChoice::Always,
            _ => ColorChoice::Never,
        };
        match format {
            Format::Text => ignore_closed_pipe(AutoStream::new(std::io::stdout(), choice).write_all(text.as_bytes())),
            _ => super::print_text(text),
        }
    }
}
