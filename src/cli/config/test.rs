//! `portcullis config test`: runs test cases for a configuration, and for the answers to requests.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use jiff::Timestamp;
use serde_json::Value;

use super::requests::{self, RequestResult};
use super::{ConfigArgs, exit, print_text};
use crate::cli::state::all_if;
use crate::files::{Folder, Manifest, is_configuration_name, parse};
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Event, Facts, NamespaceFacts};
use portcullis_core::config::{ConfigError, ConfigErrors, Spanned};
use portcullis_core::message::sanitize;
use portcullis_core::suite::{API_VERSION, CaseObjects, KIND, Mismatch, TestCase, TestSuite, run};

/// Run test cases: objects, and what a configuration must say about them; and requests, and which object must answer.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Files with test cases, or folders that contain such files at any depth.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
    /// Use this profile instead of the one in the configuration.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// List the rules that answer no tested request, and the kinds of requests for tested hosts without a test.
    #[arg(long)]
    untested: bool,
}

/// How many cases passed and failed, and what is wrong with files and cases that cannot be run.
#[derive(Default)]
struct Totals {
    passed: usize,
    failed: usize,
    faults: Vec<ConfigError>,
}

impl TestArgs {
    /// Prints a line for each case. The exit code is 1 if one failed, and 2 if a file cannot be used.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(self.profile.as_deref())?;
        let mut files = Vec::new();
        for path in &self.paths {
            find(path, &mut files).with_context(|| path.display().to_string())?;
        }
        if files.is_empty() {
            bail!("no file here has test cases (kind: {KIND})");
        }
        let (mut suites, mut totals) = (Vec::new(), Totals::default());
        for (file, text) in &files {
            match TestSuite::parse(&file.display().to_string(), text) {
                Ok(suite) => suites.push((file, suite)),
                Err(ConfigErrors(faults)) => totals.faults.extend(faults),
            }
        }
        if self.config.config.is_none() && suites.iter().any(|(_, suite)| !suite.cases.is_empty()) {
            let profile = plan.profile_name();
            eprintln!(
                "portcullis: note: without --config, the cases test the profile {profile}, not a configuration of yours"
            );
        }
        for (file, suite) in &suites {
            print_text(&format!("{}\n", file.display()))?;
            run_cases(file, suite, &plan, &mut totals)?;
            self.run_requests(file, suite, &plan, &mut totals)?;
        }
        let is_empty = |suite: &TestSuite| suite.cases.is_empty() && suite.requests.is_empty();
        if totals.faults.is_empty() && suites.iter().all(|(_, suite)| is_empty(suite)) {
            bail!("no test case is in these files: add one to `cases` or to `requests`");
        }
        if !suites.is_empty() {
            print_text(&format!("\n{} passed, {} failed\n", totals.passed, totals.failed))?;
        }
        if !totals.faults.is_empty() {
            return Err(ConfigErrors(totals.faults).into());
        }
        Ok(ExitCode::from(if totals.failed > 0 { exit::FAILURE } else { exit::SUCCESS }))
    }

    fn run_requests(&self, file: &Path, suite: &TestSuite, plan: &Plan, totals: &mut Totals) -> anyhow::Result<()> {
        if suite.requests.is_empty() {
            return Ok(());
        }
        let (results, coverage) = requests::run(suite, &roots(file, suite)?, plan)?;
        for RequestResult { name, mismatches } in results {
            totals.print(&name, mismatches.into_iter())?;
        }
        requests::print_coverage(&coverage, self.untested)
    }
}

impl Totals {
    /// Counts a case, and prints it with its mismatches.
    fn print(&mut self, name: &str, mismatches: impl ExactSizeIterator<Item = String>) -> anyhow::Result<()> {
        let (word, count) = match mismatches.len() {
            0 => ("ok  ", &mut self.passed),
            _ => ("FAIL", &mut self.failed),
        };
        *count += 1;
        let lines: String = mismatches.map(|mismatch| format!("        {mismatch}\n")).collect();
        print_text(&format!("  {word}  {}\n{lines}", sanitize(name)))
    }
}

/// Adds the files with test cases at `path`, in the order of their names, each with its text. A file that is named by itself must have some.
fn find(path: &Path, files: &mut Vec<(PathBuf, String)>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push((path.to_owned(), std::fs::read_to_string(path)?));
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if entry.is_dir() && !name.starts_with('.') {
            find(&entry, files)?;
        } else if is_configuration_name(name) {
            let text = std::fs::read_to_string(&entry)?;
            if has_cases(&text) {
                files.push((entry, text));
            }
        }
    }
    Ok(())
}

/// Whether a text is meant to have test cases, by its kind or its API group, so that a misspelled kind is an error.
fn has_cases(text: &str) -> bool {
    let group = API_VERSION.split('/').next().unwrap_or_default();
    let is_meant = |line: &str| {
        let line = line.trim().trim_end_matches(',').replace(['"', '\''], "");
        line.split_once(':').is_some_and(|(key, value)| match key.trim() {
            "kind" => value.trim() == KIND,
            "apiVersion" => value.trim().split('/').next() == Some(group),
            _ => false,
        })
    };
    text.lines().any(is_meant)
}

fn run_cases(file: &Path, suite: &TestSuite, plan: &Plan, totals: &mut Totals) -> anyhow::Result<()> {
    // Files that only requests ask are read as for `explain`.
    if suite.cases.is_empty() && !suite.requests.is_empty() {
        return Ok(());
    }
    let cluster = cluster_of(file, suite)?;
    for case in &suite.cases {
        match run_case(file, case, plan, &cluster) {
            Ok(mismatches) => totals.print(&case.name, mismatches.iter().map(describe))?,
            Err(ConfigErrors(faults)) => totals.faults.extend(faults),
        }
    }
    Ok(())
}

/// The files and folders of the cluster, which must exist.
fn roots(file: &Path, suite: &TestSuite) -> anyhow::Result<Vec<PathBuf>> {
    let base = file.parent().unwrap_or(Path::new(""));
    let roots: Vec<PathBuf> = suite.cluster.iter().map(|path| base.join(path.as_str())).collect();
    if let Some((path, _)) = suite.cluster.iter().zip(&roots).find(|(_, root)| !root.exists()) {
        return Err(ConfigErrors(vec![path.error(format!("`{}` does not exist", path.value))]).into());
    }
    Ok(roots)
}

/// What the files of the cluster say.
fn cluster_of(file: &Path, suite: &TestSuite) -> anyhow::Result<Vec<Event>> {
    let roots = roots(file, suite)?;
    let mut folder = Folder::new(&roots, all_if(suite.complete));
    let events = folder.refresh().context("the manifests cannot be read")?;
    let problems: Vec<String> = folder.problems().into_iter().map(|problem| problem.0).collect();
    if !problems.is_empty() {
        bail!(problems.join("\n"));
    }
    Ok(events)
}

fn run_case(file: &Path, case: &TestCase, plan: &Plan, events: &[Event]) -> Result<Vec<Mismatch>, ConfigErrors> {
    let object = manifest(file, &case.object)?;
    let old = case.old_object.as_ref().map(|old| manifest(file, old)).transpose()?;
    if let (Some(old), Some(written)) = (&old, &case.old_object)
        && old.object_ref != object.object_ref
    {
        let message = format!("the old object is {}, and the object is {}", old.object_ref, object.object_ref);
        return Err(ConfigErrors(vec![written.error(message)]));
    }
    let mut cluster = Cluster::default();
    events.iter().for_each(|event| cluster.apply(event.clone()));
    if let Some(labels) = &case.namespace_labels {
        let labels = labels.iter().map(|(key, value)| (key.as_str().into(), value.as_str().into()));
        let facts = NamespaceFacts::new(&object.object_ref.namespace, labels);
        cluster.apply(Event::Apply(Facts::Namespace(facts)));
    }
    let old = old.as_ref().map(|old| &*old.json);
    let objects = CaseObjects { this: &object.object_ref, object: &object.json, old };
    Ok(run(case, objects, plan, &cluster, Timestamp::now()))
}

/// The object in a case.
fn manifest(file: &Path, written: &Spanned<Value>) -> Result<Manifest, ConfigErrors> {
    let contents = parse(file, &written.value.to_string());
    let fail = |error: ConfigError| ConfigErrors(vec![error]);
    if let Some(unread) = contents.unread.first() {
        return Err(fail(written.error(format!("the object cannot be read: {}", unread.message))));
    }
    let mut manifests = contents.manifests.into_iter();
    match (manifests.next(), manifests.next()) {
        (Some(manifest), None) if manifest.object_ref.kind.is_validated() => Ok(manifest),
        (_, Some(_)) => Err(fail(written.error("a case has one object, not a list"))),
        _ => Err(fail(written.error("objects of this kind are not checked"))),
    }
}

fn describe(mismatch: &Mismatch) -> String {
    match mismatch {
        Mismatch::Denied => "expected to be admitted, but denied".to_owned(),
        Mismatch::Admitted => "expected to be denied, but admitted".to_owned(),
        Mismatch::Missing(finding) => format!("expected, but not found: {finding}"),
        Mismatch::Unexpected(finding) => format!("found, but not expected: {finding}"),
        Mismatch::Unknown(kinds) => format!("not decided, because nothing is known of {kinds}: add them to `cluster`"),
    }
}
