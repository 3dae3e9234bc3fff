//! `portcullis lint`: checks manifests on disk, by themselves or against a cluster.

mod build;
mod file_worlds;
mod helm;
mod repository;
mod surroundings;
mod versions;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use jiff::Timestamp;

use self::build::{BuildOptions, build};
use self::helm::HelmArgs;
use self::repository::Repositories;
use self::surroundings::Surroundings;
use self::versions::unserved_version;
use super::findings::FindingArgs;
use super::folders;
use super::plan::PlanArgs;
use super::state::{FileOptions, State, StateArgs, Wanted, all_if, variables};
use super::user::UserArgs;
use crate::files::{
    BuildTool, Builds, DuplicateObject, Exclusion, Folder, Locator, Manifest, Unread, UnreadCause, Variables,
    is_variable, may_have_variables, read_class_features,
};
use crate::watch::{ApiVersions, Lists};
use portcullis_core::bundle::Bundle;
use portcullis_core::checks::{EvaluatedFinding, Outcome, Plan};
use portcullis_core::cluster::User;
use portcullis_core::kinds::{KindSet, ObjectRef};
use portcullis_core::message::sanitize;
use portcullis_core::report::{Grouping, Report, STDIN, TEMPLATE, first_names};
use portcullis_core::review::stored::AppliedManifest;

/// Check manifests on disk as if each were applied to a cluster that contains the others. With --context, --kubeconfig, --against or
/// --objects, the cluster contains its own objects, too.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files, or folders of YAML and JSON; `-` is standard input.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Leave out files and folders with this name, or at this path below a given folder; may be repeated. `*` does not
    /// match `/`, and `**` does.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Leave out files and folders of --objects, in the same way; --exclude does not.
    #[arg(long, value_name = "GLOB", requires = "objects", conflicts_with_all = ["against", "kubeconfig", "context"])]
    exclude_objects: Vec<String>,
    /// The namespace of objects that name none.
    #[arg(short, long, default_value = "default")]
    namespace: String,
    /// Check what `kustomize build` (or `kubectl kustomize`) prints for each kustomization, instead of its files.
    #[arg(long)]
    kustomize: bool,
    #[command(flatten)]
    helm: HelmArgs,
    /// Treat the files, with those of --objects, as the whole cluster: kinds that they do not contain, except Secrets, have no objects.
    #[arg(long, conflicts_with_all = ["against", "kubeconfig", "context"])]
    complete: bool,
    /// Fill in `${NAME}`, `${NAME:-default}` and `${NAME:=default}` as Flux does, from lines NAME=value of this file.
    #[arg(long, value_name = "FILE")]
    envsubst: Option<PathBuf>,
    /// Check the files by themselves. Without it, what is not found in them is looked for in the rest of their git repository.
    #[arg(long)]
    isolated: bool,
    /// Read which features GatewayClasses support from this file, as `kubectl get gatewayclasses -o yaml` prints it. With --context,
    /// --against or --objects, the classes there count.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["against", "kubeconfig", "context", "objects"])]
    class_features: Option<PathBuf>,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    user: UserArgs,
    #[command(flatten)]
    findings: FindingArgs,
    #[command(flatten)]
    plan: PlanArgs,
}

impl LintArgs {
    /// Prints the findings. The exit code is 1 if something would be denied, or else 3 if something could not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.findings.validate()?;
        self.helm.validate()?;
        let plan = self.plan.plan(&self.state.cluster)?;
        let (kinds, notes) = (KindSet::VALIDATED.union(plan.needs()), self.findings.has_notes());
        let lists = self.state.cluster(Wanted { kinds, api_versions: self.helm.is_used(), notes })?;
        let api_versions = lists.as_ref().and_then(|lists| lists.api_versions.as_ref());
        if self.helm.is_used() && lists.is_some() && api_versions.is_none() {
            self.note("the API versions of the cluster are not known; charts see those of Helm and of --api-versions");
        }
        let exclusion = Exclusion::new(&self.exclude).context("--exclude")?;
        let builds = self.builds(&exclusion);
        self.note_unbuilt(&builds);
        let mut folder = self.folder(&builds, exclusion, api_versions)?;
        let events = folder.refresh().context("the manifests cannot be read")?;
        let is_one = self.complete || self.state.is_named();
        let copies = if is_one { DuplicateObject::to_string } else { DuplicateObject::by_world };
        match folders::print_warnings_about(&folder, notes, copies) {
            Err(_) if self.may_lack_manifests() => folder.empty().iter().for_each(|empty| self.note(empty)),
            result => result?,
        }
        let state = self.state(lists, &folder, &builds)?;
        let unread = state.as_ref().map(|state| state.unread.clone()).unwrap_or_default();
        let mut surroundings = match state {
            Some(lists) => Surroundings::of_cluster(lists, kinds, &folder, events),
            None => Surroundings::of_files(&folder, events, self.complete),
        };
        if notes {
            let objects = || folder.manifests().map(|manifest| &manifest.object_ref);
            folders::print_mislabeled(&plan, surroundings.cluster(), objects());
            let existing = surroundings.kinds().map(|_| surroundings.namespaces().collect());
            folders::print_unknown_namespaces(&plan, surroundings.cluster(), objects(), existing.as_ref());
            folders::print_unknown_claims(&plan, surroundings.cluster());
        }
        let mut beside = self.repositories(&folder);
        let (mut report, unknown) = check_folder(&folder, &mut surroundings, beside.as_mut(), &plan, self.user.user());
        if unknown > 0 {
            self.note(&variables_note(unknown));
        }
        if self.findings.has_namespaces() {
            report.namespaces = Some(namespaces(&folder).chain(surroundings.namespaces()).collect());
        }
        if notes && report.entries.is_empty() && report.is_complete() && folder.empty().is_empty() {
            let named = |path| if is_stdin(path) { Path::new(STDIN) } else { path };
            let paths: Vec<_> = self.paths.iter().map(|path| named(path).display()).collect();
            folders::print_nothing_checked(&paths, &folder);
        }
        let known = report.unread.len();
        folders::add_unread(unread.iter(), &mut report);
        let beside = report.unread[known..].iter_mut();
        beside.for_each(|unread| unread.is_beside = unread.cause == TEMPLATE);
        self.findings.print(report, &plan, Grouping::ByFile)
    }

    fn variables(&self) -> anyhow::Result<Option<Variables>> {
        self.envsubst.as_deref().map(variables).transpose()
    }

    /// What is beside the files in their repositories, unless options say what the cluster contains, or a tool builds the objects.
    fn repositories<'f>(&self, folder: &'f Folder) -> Option<Repositories<'f>> {
        let is_known = self.isolated || self.complete || self.state.is_named();
        let is_built = self.kustomize || self.helm.is_used();
        (!is_known && !is_built).then(|| Repositories::around(&self.paths, folder))
    }

    /// Whether the paths may contain no manifest. Some files that are checked against other objects are most often those of a change, and
    /// may be files of another program. An empty file is most often the output of a command that failed.
    fn may_lack_manifests(&self) -> bool {
        let has_text = |path: &PathBuf| path.metadata().is_ok_and(|file| file.is_file() && file.len() > 0);
        self.state.is_named() && self.exclude.is_empty() && self.paths.iter().all(has_text)
    }

    /// What the tools build from the files.
    fn builds(&self, exclusion: &Exclusion) -> Builds {
        let tools = [(self.helm.is_used(), BuildTool::Helm), (self.kustomize, BuildTool::Kustomize)];
        let tools: Vec<_> = tools.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, tool)| tool).collect();
        let paths: Vec<PathBuf> = self.paths.iter().filter(|path| !is_stdin(path)).cloned().collect();
        Builds::find(&paths, exclusion, &tools)
    }

    /// Prints a note about each tool that has nothing to build.
    fn note_unbuilt(&self, builds: &Builds) {
        let is_built = |tool: BuildTool| builds.folders.iter().any(|(built, _)| *built == tool);
        if self.helm.is_used() && !is_built(BuildTool::Helm) && builds.libraries.is_empty() {
            self.note("--helm: no chart (a folder with Chart.yaml) found, so nothing is rendered");
        }
        if self.kustomize && !is_built(BuildTool::Kustomize) {
            self.note("--kustomize: no kustomization found, so nothing is built");
        }
    }

    /// The files and standard input, of which nothing but standard input is read yet.
    fn folder(&self, builds: &Builds, exclusion: Exclusion, cluster: Option<&ApiVersions>) -> anyhow::Result<Folder> {
        let is_read = |path: &&PathBuf| !is_stdin(path) && !builds.inputs.contains(*path);
        let paths: Vec<PathBuf> = self.paths.iter().filter(is_read).cloned().collect();
        let exclusion = exclusion.and(builds.inputs.clone());
        let mut folder = Folder::new(&paths, all_if(self.complete)).excluding(exclusion).in_namespace(&self.namespace);
        folder = folder.filling_in(self.variables()?);
        if let Some(file) = &self.class_features {
            let at = || format!("--class-features {}", file.display());
            let classes = read_class_features(file).with_context(at)?;
            anyhow::ensure!(!classes.is_empty(), "{}: no GatewayClass with status.supportedFeatures found", at());
            folder = folder.with_class_features(classes);
        }
        let options = BuildOptions { namespace: &self.namespace, helm: &self.helm, cluster };
        for (tool, path) in &builds.folders {
            folder = build(folder, *tool, path, &options)?;
        }
        folder = builds.libraries.iter().fold(folder, |folder, chart| folder.with_library(chart));
        if !self.paths.iter().any(|path| is_stdin(path)) {
            return Ok(folder);
        }
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("standard input")?;
        Ok(folder.with_text(Path::new(STDIN), bytes))
    }

    /// The objects of the cluster to check against; `None` without a cluster.
    fn state(&self, lists: Option<Lists>, folder: &Folder, builds: &Builds) -> anyhow::Result<Option<Lists>> {
        if let Some(mut lists) = lists {
            // As of --objects, the first definition of an object counts.
            lists.unread.retain(|unread| unread.cause != UnreadCause::OtherDefinition);
            return Ok(Some(lists));
        }
        // A file that is checked, or from which a tool builds objects, is not in the cluster yet, even if it is in a folder with what is.
        // What --exclude leaves out is not checked, so it is in the cluster.
        let files = self.paths.iter().filter(|path| path.is_file());
        let built = builds.inputs.iter().chain(&builds.resources);
        let checked = folder.files().chain(files.chain(built).map(PathBuf::as_path));
        let exclusion = Exclusion::new(&self.exclude_objects).context("--exclude-objects")?.and_files(checked);
        let (namespace, complete, notes) = (Some(&*self.namespace), self.complete, self.findings.has_notes());
        let variables = self.variables()?;
        let options = FileOptions { namespace, complete, exclusion, variables, notes };
        let state = self.state.files(options).context("--objects")?;
        Ok(state.map(|State { mut lists, .. }| {
            self.note_updates(folder, &lists);
            // No API server stores such an object, so the cluster does not have it.
            lists.unread.retain(|unread| unread.cause != UnreadCause::RetiredVersion);
            lists
        }))
    }

    /// Prints a note about the objects of standard input that are also among the objects of the cluster: where they come from
    /// is not known, so their file cannot be left out of --objects.
    fn note_updates(&self, folder: &Folder, lists: &Lists) {
        let stored: BTreeSet<&ObjectRef> = lists.objects().map(|manifest| &manifest.object_ref).collect();
        let given = folder.manifests().filter(|manifest| *manifest.file == *Path::new(STDIN));
        let both = given.map(|manifest| &manifest.object_ref).filter(|object| stored.contains(object));
        let both: BTreeSet<&ObjectRef> = both.collect();
        if !both.is_empty() {
            self.note(&format!(
                "standard input and --objects both contain {}: checked as an update, so that preexisting faults only warn; \
                 --exclude-objects with its file checks it as new",
                first_names(both.into_iter())
            ));
        }
    }

    fn note(&self, note: &str) {
        if self.findings.has_notes() {
            eprintln!("portcullis: note: {}", sanitize(note));
        }
    }
}

/// Checks all manifests of the folder, and reports the documents that are not read. Returns the number of findings about variables, too,
/// which are left out.
fn check_folder(
    folder: &Folder,
    surroundings: &mut Surroundings,
    mut beside: Option<&mut Repositories<'_>>,
    plan: &Plan,
    user: Option<User<'_>>,
) -> (Report, usize) {
    let hidden = folder.hidden().iter().map(|(_, count)| count).sum();
    let (others, no_objects, now) = (folder.others(), folder.no_objects(), Timestamp::now());
    let (templates, kinds) = (folder.templates().len(), surroundings.kinds());
    let mut report = Report { others, no_objects, hidden, templates, kinds, ..Report::default() };
    let mut locator = Locator::new(folder);
    let mut checked: BTreeSet<(&ObjectRef, &str, Option<usize>)> = BTreeSet::new();
    let (mut unserved, mut variables) = (Vec::new(), 0);
    let unstored = folder.unread().filter_map(|unread| unread.unstored.as_deref());
    let manifests = folder.manifests().chain(unstored);
    for manifest in manifests.filter(|manifest| manifest.object_ref.kind.is_validated()) {
        let schema = surroundings.cluster().schema(manifest.object_ref.kind);
        if let Some(fault) = unserved_version(manifest, schema, plan) {
            if fault.is_certain {
                unserved.push(fault.unread);
                continue;
            }
            eprintln!("portcullis: warning: {}", sanitize(&fault.unread.to_string()));
            report.assumed = report.assumed.or(Some(Bundle::NEWEST));
        }
        if !checked.insert((&manifest.object_ref, &manifest.json, surroundings.world_of(manifest))) {
            continue;
        }
        let mut outcome = surroundings.check(plan, folder, manifest, user, now);
        if let Some(beside) = &mut beside {
            let write = AppliedManifest { user, ..AppliedManifest::new(&manifest.object_ref, &manifest.json, now) };
            beside.remove_found(plan, manifest, write, &mut outcome);
        }
        variables += without_variables(manifest, &mut outcome);
        let entry = report.add(folders::source(manifest), &manifest.object_ref, outcome);
        folders::locate(entry, manifest, &mut locator);
    }
    let unchecked = folder.unread().filter(|unread| unread.unstored.is_none());
    let unchecked: Vec<Unread> = unchecked.map(|unread| locator.located(unread)).collect();
    folders::add_unread(unchecked.iter().chain(&unserved), &mut report);
    report.looked_up = looked_up(folder, &report);
    (report, variables)
}

/// Removes the findings about values that contain a variable, and returns their number.
fn without_variables(manifest: &Manifest, outcome: &mut Outcome) -> usize {
    if !may_have_variables(&manifest.json) {
        return 0;
    }
    let object = serde_json::from_str(&manifest.json).unwrap_or_default();
    let before = outcome.findings.len();
    outcome.findings.retain(|EvaluatedFinding { finding, .. }| !is_variable(&object, &finding.at));
    before - outcome.findings.len()
}

fn variables_note(count: usize) -> String {
    let findings = if count == 1 { "1 finding is" } else { &*format!("{count} findings are") };
    format!(
        "{findings} left out, since the value contains a variable such as `${{NAME}}` or a placeholder such as `<NAME>`; to check it, pass \
         the manifest with the value filled in"
    )
}

/// The number of objects that are only looked up, and of which a report says nothing else.
fn looked_up(folder: &Folder, report: &Report) -> usize {
    let unread: BTreeSet<&ObjectRef> = report.unread.iter().filter_map(|unread| unread.object.as_ref()).collect();
    let objects = folder.manifests().map(|manifest| &manifest.object_ref);
    let looked_up = objects.filter(|object| !object.kind.is_validated() && !unread.contains(object));
    looked_up.count() + folder.offline_objects()
}

/// The namespaces of the manifests, and of the objects that are not read.
fn namespaces(folder: &Folder) -> impl Iterator<Item = String> {
    let manifests = folder.manifests().map(|manifest| &manifest.object_ref);
    let unread = folder.unread().filter_map(|unread| unread.object.as_ref());
    manifests.chain(unread).map(|object| object.of_namespace().to_owned())
}

/// Whether a path stands for standard input.
fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
