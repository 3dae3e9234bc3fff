//! Evaluates each manifest as `lint` does: alone in its file, and together with the other manifests of its repository.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use portcullis::files::Folder;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::Cluster;
use portcullis_core::config::Config;
use portcullis_core::finding::Action;
use portcullis_core::kinds::KindSet;
use portcullis_core::message::{Disclosure, render_cause};
use portcullis_core::review::stored::{self, AppliedManifest};
use portcullis_testing::pages::today;
use serde::Deserialize;
use serde_json::Value;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/real-manifests.json.gz");

/// The entry of the corpus for one manifest.
#[derive(Debug, Deserialize)]
struct Entry {
    repo: String,
    object: Value,
    std: bool,
    exp: bool,
}

/// One manifest and the verdicts of an API server.
#[derive(Debug)]
pub struct Manifest {
    pub index: usize,
    repo: String,
    title: String,
    standard: bool,
    experimental: bool,
}

impl Manifest {
    /// Whether an API server accepts the manifest with the CRDs of at least one channel. `lint` is not configured with
    /// a channel here.
    pub fn is_accepted(&self) -> bool {
        self.standard || self.experimental
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.index, self.repo, self.title)
    }
}

/// A finding that `lint` prints.
#[derive(Debug)]
pub struct Line {
    pub id: &'static str,
    pub action: Action,
    pub names_other: bool,
    message: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The result of `lint` for one manifest.
#[derive(Debug, Default)]
pub struct LintResult {
    pub findings: Vec<Line>,
    /// Why the manifest cannot be read, or not as an object of its kind.
    pub unread: Vec<String>,
}

impl LintResult {
    pub fn denials(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let denials = self.findings.iter().filter(|line| line.action == Action::Deny);
        denials.map(|line| (line.id, &*line.message))
    }

    /// Whether the exit code of `lint` is not zero.
    pub fn is_refused(&self) -> bool {
        self.denials().next().is_some() || !self.unread.is_empty()
    }
}

/// All manifests with both results.
#[derive(Debug)]
pub struct EvaluatedCorpus {
    pub manifests: Vec<Manifest>,
    pub alone: Vec<LintResult>,
    pub among: Vec<LintResult>,
}

/// The evaluated corpus, computed once per process; `None` if the corpus does not exist.
pub fn evaluated_corpus() -> Option<&'static EvaluatedCorpus> {
    static EVALUATED: OnceLock<Option<EvaluatedCorpus>> = OnceLock::new();
    EVALUATED.get_or_init(|| entries().map(evaluate)).as_ref()
}

fn entries() -> Option<Vec<Entry>> {
    let file = File::open(CORPUS).ok()?;
    Some(serde_json::from_reader(GzDecoder::new(file)).expect("the corpus is JSON"))
}

fn evaluate(entries: Vec<Entry>) -> EvaluatedCorpus {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut files: Vec<PathBuf> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let repository = folder.path().join(entry.repo.replace('/', "__"));
        fs::create_dir_all(&repository).expect("a folder can be made");
        let file = repository.join(format!("{index}.json"));
        fs::write(&file, entry.object.to_string()).expect("a file can be written");
        files.push(file);
    }
    let plan = Plan::new(Config::default()).expect("the default configuration");
    let mut among: BTreeMap<PathBuf, LintResult> = BTreeMap::new();
    for repository in fs::read_dir(folder.path()).expect("the folder can be read") {
        among.append(&mut lint_folder(&plan, &repository.expect("an entry").path()));
    }
    let alone = files.iter().map(|file| lint_folder(&plan, file).remove(file).unwrap_or_default()).collect();
    let among = files.iter().map(|file| among.remove(file).unwrap_or_default()).collect();
    let manifests = entries.into_iter().enumerate().map(manifest).collect();
    EvaluatedCorpus { manifests, alone, among }
}

fn manifest((index, entry): (usize, Entry)) -> Manifest {
    let text = |pointer| entry.object.pointer(pointer).and_then(Value::as_str).unwrap_or("?");
    let title = format!("{} {} {}", text("/apiVersion"), text("/kind"), text("/metadata/name"));
    Manifest { index, repo: entry.repo, title, standard: entry.std, experimental: entry.exp }
}

/// The results for the files of a folder, which contains the whole cluster, by file.
fn lint_folder(plan: &Plan, path: &Path) -> BTreeMap<PathBuf, LintResult> {
    let mut folder = Folder::new(&[path.to_owned()], KindSet::EMPTY);
    let mut cluster = Cluster::default();
    for event in folder.refresh().expect("the folder can be read") {
        cluster.apply(event);
    }
    let mut verdicts: BTreeMap<PathBuf, LintResult> = BTreeMap::new();
    for manifest in folder.manifests().filter(|manifest| manifest.object_ref.kind.is_validated()) {
        let outcome =
            stored::check_manifest(plan, &cluster, AppliedManifest::new(&manifest.object_ref, &manifest.json, today()));
        let read = outcome.findings.into_iter().filter(|evaluated| evaluated.action > Action::Audit);
        let lines = read.map(|evaluated| Line {
            id: evaluated.finding.check,
            action: evaluated.action,
            names_other: evaluated.finding.other.is_some(),
            message: format!("{}: {}", evaluated.finding.at, render_cause(&evaluated.finding, Disclosure::All)),
        });
        verdicts.entry(manifest.file.to_path_buf()).or_default().findings.extend(lines);
    }
    for problem in folder.problems() {
        // Each problem begins with its file.
        let file = problem.0.split(": ").next().unwrap_or_default();
        verdicts.entry(PathBuf::from(file)).or_default().unread.push(problem.0.clone());
    }
    verdicts
}
