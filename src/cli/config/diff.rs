//! `portcullis config diff`: which objects another configuration treats differently.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::objects::ObjectsArgs;
use super::{ConfigArgs, exit, print_text};
use crate::cli::plan::StoredConfigArgs;
use portcullis_core::finding::Action;
use portcullis_core::message::{render_text, sanitize};
use portcullis_core::review::comparison::{FindingChange, ObjectChange, Verdict, compare};

/// Show which objects another configuration treats differently, by namespace.
#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
pub struct DiffArgs {
    /// The configuration before: a file, or a folder of files. Without it, the built-in one, or with --config-map that of the webhook.
    #[arg(value_name = "OLD", conflicts_with = "config_map")]
    old: Option<PathBuf>,
    /// The configuration afterwards.
    #[arg(value_name = "NEW", required = true)]
    new: PathBuf,
    #[command(flatten)]
    stored: StoredConfigArgs,
    #[command(flatten)]
    objects: ObjectsArgs,
}

impl DiffArgs {
    /// Prints the objects that change. The exit code is 1 if there are any, or else 3 if something could not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let is_built_in = self.old.is_none() && self.stored.title().is_none();
        let old = ConfigArgs::only(self.old).or_stored(&self.stored, None, &self.objects.state.cluster)?;
        let new = ConfigArgs::only(Some(self.new)).plan(None)?;
        if is_built_in {
            eprintln!("portcullis: note: compared with the built-in configuration, profile {}", old.profile_name());
        }
        let objects = self.objects.read(&[&old, &new])?;
        let now = Timestamp::now();
        let changes = objects.manifests.iter().filter_map(|manifest| {
            let [before, after] = [&old, &new].map(|plan| objects.check(plan, manifest, now));
            compare(&manifest.object_ref, &before, &after)
        });
        let mut changes: Vec<ObjectChange> = changes.collect();
        changes.sort_by(|left, right| order(left).cmp(&order(right)));
        print_text(&render(&changes, objects.manifests.len()))?;
        let code = match (changes.is_empty(), objects.is_complete) {
            (false, _) => exit::FAILURE,
            (true, true) => exit::SUCCESS,
            (true, false) => exit::INCOMPLETE,
        };
        Ok(ExitCode::from(code))
    }
}

/// What a denial means for objects that exist.
const STORED_STAY: &str =
    "objects that are already stored keep working: an update that adds no fault passes with a warning\n";

fn order(change: &ObjectChange) -> (&str, &portcullis_core::kinds::ObjectRef) {
    (&change.object.namespace, &change.object)
}

fn render(changes: &[ObjectChange], objects: usize) -> String {
    let mut text = String::new();
    for namespace in changes.chunk_by(|left, right| left.object.namespace == right.object.namespace) {
        let name = &namespace[0].object.namespace;
        let title = if name.is_empty() { "the cluster".to_owned() } else { format!("namespace {name}") };
        text.push_str(&format!("{}\n", sanitize(&title)));
        namespace.iter().for_each(|change| text.push_str(&of_object(change)));
        text.push('\n');
    }
    let (mut denied, mut freed) = (0, 0);
    for change in changes {
        denied += usize::from(change.after == Verdict::Denied && change.before != Verdict::Denied);
        freed += usize::from(change.before == Verdict::Denied && change.after != Verdict::Denied);
    }
    let noun = if objects == 1 { "object changes" } else { "objects change" };
    let _ = writeln!(
        text,
        "{} of {objects} {noun}; as new objects, {denied} would be denied from now on, {freed} would no longer be denied",
        changes.len()
    );
    if denied > 0 {
        text.push_str(STORED_STAY);
    }
    text
}

fn of_object(change: &ObjectChange) -> String {
    let verdict = match change.before == change.after {
        true => format!("{}, as before", change.after.word()),
        false => format!("{} -> {}", change.before.word(), change.after.word()),
    };
    let lines: String = change.findings.iter().map(of_finding).collect();
    format!("  {}: {verdict}\n{lines}", sanitize(&change.object.to_string()))
}

fn of_finding(change: &FindingChange) -> String {
    let (sign, action) = match (change.before, change.after) {
        (None, Some(after)) => ('+', after.name().to_owned()),
        (Some(before), None) => ('-', before.name().to_owned()),
        (before, after) => {
            let [before, after] = [before, after].map(|action| action.map_or("", Action::name));
            ('~', format!("{before} -> {after}"))
        }
    };
    let at = sanitize(&change.finding.at.to_string());
    let at = if at.is_empty() { at } else { format!("{at}: ") };
    format!("    {sign} {action}  {at}{}\n", render_text(&change.finding))
}
