//! Prints the findings of all checks in all test material, so that two builds can be compared: `cargo test --test it --
//! --verdicts`, and `tests/compare-verdicts` for the comparison.
//!
//! A line has seven columns, separated by tabs: the material, the object, the operation, the configuration, the check,
//! the address with the action, and the message. An object without a finding has a line, too.

mod material;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use portcullis::files::{self, FileContents, Manifest};
use portcullis_core::checks::{Before, Operation, Outcome, Plan, Write as Reviewed};
use portcullis_core::cluster::{Cluster, Event, Facts, OfflineObjects, Overlay, SyncState, User};
use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::kinds::Partial;
use portcullis_core::message::{Disclosure, render_cause};
use portcullis_core::review::stored::{self, AppliedManifest};
use portcullis_testing::pages::today;
use serde_json::Value;

use material::Snapshot;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("verdicts::each_object_has_a_line", each_object_has_a_line),
        Trial::test("verdicts::renamed_check_ids_are_translated", renamed_check_ids_are_translated),
    ]
}

/// The profiles for material without its own configuration.
const PROFILES: [&str; 3] = ["baseline", "restricted", "kep-758"];

/// Prints the findings if the command line requests them.
pub fn print_if_requested() -> bool {
    let mut arguments = env::args().skip(1);
    if arguments.next().as_deref() != Some("--verdicts") {
        return false;
    }
    let (mut root, mut words) = (PathBuf::from(env!("CARGO_MANIFEST_DIR")), Words::default());
    while let (Some(option), Some(value)) = (arguments.next(), arguments.next()) {
        match option.as_str() {
            "--material" => root = value.into(),
            "--translate" => words = Words::read(Path::new(&value)),
            _ => panic!("unknown option {option}; there are --material DIR and --translate FILE"),
        }
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    for world in material::all(&root, &words) {
        world.lines().iter().try_for_each(|line| writeln!(out, "{line}")).expect("stdout can be written");
    }
    true
}

/// Words of the material that have another name in this build, mostly ids of checks.
#[derive(Debug, Default)]
struct Words(Vec<(String, String)>);

impl Words {
    /// Reads a file with two words per line: the one of this build, and the one of the material.
    fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        let pairs = text.lines().filter_map(|line| line.split_once(char::is_whitespace));
        Self(pairs.map(|(known, written)| (known.to_owned(), written.trim().to_owned())).collect())
    }

    /// The text in words of this build. Only complete words are replaced; `/` and `-` are parts of words.
    fn translate(&self, text: &str) -> String {
        let is_inside = |character: char| character.is_ascii_alphanumeric() || matches!(character, '/' | '-');
        if self.0.is_empty() {
            return text.to_owned();
        }
        let mut translated = String::new();
        for piece in text.split_inclusive(|character| !is_inside(character)) {
            let word = piece.trim_end_matches(|character| !is_inside(character));
            let known = self.0.iter().find(|(_, written)| written == word).map_or(word, |(known, _)| known);
            translated.extend([known, &piece[word.len()..]]);
        }
        translated
    }
}

impl Snapshot {
    /// One line for each finding of each object with each configuration, sorted.
    fn lines(&self) -> Vec<String> {
        let (mut documents, mut lines) = (FileContents::default(), Vec::new());
        for document in &self.documents {
            let read = files::parse(Path::new(&self.name), &document.to_string());
            documents.manifests.extend(read.manifests);
            documents.secrets.extend(read.secrets);
            lines.extend(read.unread.iter().map(|error| format!("{}\t-\t-\t-\t-\t-\t{error}", self.name)));
        }
        let cluster = cluster_of(&documents);
        for (name, config) in self.configurations() {
            match plan(&config) {
                Ok(plan) => {
                    let evaluated =
                        documents.manifests.iter().enumerate().flat_map(|(position, manifest)| {
                            self.judge(&plan, &name, &cluster, manifest, position == 0)
                        });
                    lines.extend(evaluated);
                }
                Err(error) => lines.push(format!("{}\t-\t-\t{name}\t-\t-\t{error}", self.name)),
            }
        }
        lines.sort();
        lines
    }

    /// The configurations by name: that of the material, or each profile.
    fn configurations(&self) -> Vec<(String, String)> {
        match &self.config {
            Some(config) => vec![("own".to_owned(), config.clone())],
            None => PROFILES.map(|name| (name.to_owned(), format!("profile: {name}\n"))).to_vec(),
        }
    }

    /// The lines for one object, as stored and as written. Only the first object may be updated or deleted.
    fn judge(&self, plan: &Plan, config: &str, cluster: &Cluster, manifest: &Manifest, is_first: bool) -> Vec<String> {
        let write = match &self.old {
            Some(_) if is_first => Operation::Update,
            _ if is_first && self.is_deleted => Operation::Delete,
            _ => Operation::Create,
        };
        let stored =
            stored::check_manifest(plan, cluster, AppliedManifest::new(&manifest.object_ref, &manifest.json, today()));
        let written = written(plan, cluster, manifest, write, self.old.as_ref());
        let evaluated = [(Operation::Stored, stored), (write, written)];
        evaluated
            .iter()
            .flat_map(|(operation, judgement)| self.outcome_lines(manifest, *operation, config, judgement))
            .collect()
    }

    fn outcome_lines(
        &self,
        manifest: &Manifest,
        operation: Operation,
        config: &str,
        judgement: &Outcome,
    ) -> Vec<String> {
        let head = format!("{}\t{}\t{operation:?}\t{config}", self.name, manifest.object_ref);
        let lines = judgement.findings.iter().map(|evaluated| {
            let finding = &evaluated.finding;
            let message = render_cause(finding, Disclosure::All);
            format!("{head}\t{}\t{} {}\t{message}", finding.check, finding.at, evaluated.action)
        });
        let lines: Vec<String> = lines.collect();
        if lines.is_empty() { vec![format!("{head}\t-\t-\t-")] } else { lines }
    }
}

/// The outcome of all checks for a write of the object.
fn written(plan: &Plan, cluster: &Cluster, manifest: &Manifest, operation: Operation, old: Option<&Value>) -> Outcome {
    let old = old.and_then(|old| files::parse(Path::new("old"), &old.to_string()).manifests.into_iter().next());
    let (overlay, user) = (Overlay::new(cluster, &manifest.object_ref), Some(User::named("alice")));
    let write = Reviewed { operation, this: &manifest.object_ref, user, now: today() };
    let partial = Partial::read(manifest.object_ref.kind, &manifest.json);
    let old = || old.as_ref()?.object().ok();
    match &partial.object {
        Some(object) if partial.decode_errors.is_empty() => plan.check(object, old, &overlay, &write),
        _ => {
            let before = old().map_or(Before::Incomparable, |old| Before::Other(Box::new(old)));
            plan.check_partial(&partial, &before, &overlay, &write)
        }
    }
}

/// A cluster with exactly those of these objects that can be decoded.
fn cluster_of(contents: &FileContents) -> Cluster {
    let mut cluster = Cluster::with(SyncState::Complete);
    for manifest in &contents.manifests {
        if let Ok(object) = manifest.object() {
            cluster.apply(Event::Apply(Facts::of(&object)));
        }
    }
    cluster.apply(Event::Secrets(OfflineObjects::all(contents.secrets.iter().cloned())));
    cluster
}

fn plan(config: &str) -> Result<Plan, String> {
    let config = Config::parse(&format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{config}"));
    let plan = Plan::new(config.map_err(|error| error.to_string())?);
    plan.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

fn each_object_has_a_line() -> Result<(), Failed> {
    let worlds = material::all(Path::new(env!("CARGO_MANIFEST_DIR")), &Words::default());
    for source in
        ["crates/portcullis-core/src/checks/", "tests/design/", "tests/explain/", "tests/planes/", "examples/", "demo/"]
    {
        assert!(worlds.iter().any(|world| world.name.starts_with(source)), "{source} gives no material");
    }
    let cluster = worlds.iter().find(|world| world.name == "examples/cluster").expect("a folder is a world");
    let lines = cluster.lines();
    for document in &cluster.documents {
        let name = document["metadata"]["name"].as_str().expect("a name");
        let is_told = |line: &&String| line.split('\t').nth(1).is_some_and(|object| object.ends_with(name));
        assert!(lines.iter().filter(is_told).count() >= 2 * PROFILES.len(), "{name}: {lines:#?}");
    }
    assert_eq!(lines, cluster.lines());
    Ok(())
}

fn renamed_check_ids_are_translated() -> Result<(), Failed> {
    let words = Words(vec![("host/old".to_owned(), "host/new".to_owned())]);
    assert_eq!(
        words.translate("checks: {host/new: Deny, host/newer: Off}\n"),
        "checks: {host/old: Deny, host/newer: Off}\n"
    );
    Ok(())
}
