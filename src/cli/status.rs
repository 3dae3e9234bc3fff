//! `portcullis status`: shows the status that the controller would write, or what differs between the statuses that controllers have
//! written and the specification.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::{ArgGroup, Args, ValueEnum};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::exit;
use super::folders::{documents, print_nothing_checked};
use super::plan::PlanArgs;
use super::source::CompletenessArgs;
use super::state::{PathArgs, StateArgs};
use crate::controller::{NEEDS, other_manager, read_schema};
use crate::files::{Folder, Manifest};
use crate::request::RequestError;
use crate::watch::discover;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Event};
use portcullis_core::kinds::{Kind, Object, ObjectRef};
use portcullis_core::message::sanitize;
use portcullis_core::report::comparison;
use portcullis_core::report::first_names;
use portcullis_core::report::status::{StatusEntry, json, text, yaml};
use portcullis_core::status::merge::{Merged, no_room, preview};
use portcullis_core::status::{self, DesiredStatus, KINDS, StatusSchema, comparison::compare};

/// Show the status that the controller would write for each object of files, of a snapshot (--against), or of a live cluster. With --compare, show where the statuses that controllers wrote differ from the specification.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").required(true).multiple(true).args(["paths", "objects", "against", "kubeconfig", "context"]))]
pub struct StatusArgs {
    #[command(flatten)]
    paths: PathArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    completeness: CompletenessArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// Compare the status that each object has with what the specification says, for the classes of all controllers, and print the
    /// differences. Nothing is written.
    ///
    /// The exit code is 1 if there is a difference. A snapshot contains no statuses.
    #[arg(long, conflicts_with = "against")]
    compare: bool,
    /// The output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// The output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A line for each object and each condition, or each difference.
    #[default]
    Text,
    /// A YAML list.
    Yaml,
    /// A JSON list.
    Json,
}

impl StatusArgs {
    /// Prints the status of every object that gets one, or the differences, by kind, namespace and name. The exit code is 1 if there
    /// is a difference, or else 3 if something could not be read.
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        self.state.objects.append(&mut self.paths.paths);
        let plan = self.plan.plan(&self.state.cluster)?;
        match self.state.objects.is_empty() {
            true => self.of_cluster(&plan),
            false => self.of_folder(&plan),
        }
    }

    fn of_folder(&self, plan: &Plan) -> anyhow::Result<ExitCode> {
        let mut folder = Folder::new(&self.state.objects, self.completeness.kinds());
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("the manifests cannot be read")? {
            cluster.apply(event);
        }
        folder.schemas().for_each(|(kind, schema)| cluster.apply(Event::Schema(kind, Some(schema))));
        super::folders::print_warnings(&folder, true)?;
        let done = match self.compare {
            true => {
                let is_checked = |manifest: &Manifest| manifest.object_ref.kind.is_validated();
                if !folder.manifests().any(is_checked) && folder.unread().next().is_none() {
                    let paths: Vec<_> = self.state.objects.iter().map(|path| path.display()).collect();
                    print_nothing_checked(&paths, &folder);
                }
                self.print_differences(folder.manifests(), &mut cluster, plan)?
            }
            false => {
                self.note_controllers(folder.manifests(), plan);
                self.print(&entries(folder.manifests(), &mut cluster, plan, &Schemas::new()), plan)?
            }
        };
        super::folders::print_unread(folder.unread());
        Ok(complete_unless(folder.unread().count(), done))
    }

    fn of_cluster(&self, plan: &Plan) -> anyhow::Result<ExitCode> {
        let (mut read, unread) = self.state.view(NEEDS, KINDS, "conditions that depend on them are Unknown")?;
        let done = match self.compare {
            true => self.print_differences(read.objects.iter(), &mut read.cluster, plan)?,
            false => {
                let kinds = read.objects.iter().map(|object| object.object_ref.kind).collect();
                let schemas = match self.state.is_snapshot() {
                    true => Schemas::new(),
                    false => {
                        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                        runtime.block_on(self.schemas(&kinds))?
                    }
                };
                self.note_controllers(read.objects.iter(), plan);
                self.print(&entries(read.objects.iter(), &mut read.cluster, plan, &schemas), plan)?
            }
        };
        super::folders::print_unread(unread.iter());
        for object_ref in &read.unread {
            eprintln!("portcullis: {object_ref} cannot be decoded");
        }
        Ok(complete_unless(unread.len() + read.unread.len() + read.forbidden.iter().count(), done))
    }

    /// The schemas by which the API server stores the statuses of those `kinds` that CRDs define.
    async fn schemas(&self, kinds: &BTreeSet<Kind>) -> anyhow::Result<Schemas> {
        let api = self.state.cluster.client().await?;
        let served = discover(api.client()).await.map_err(|error| api.error("API discovery", &error))?;
        let mut schemas = Schemas::new();
        for kind in kinds.iter().copied().filter(|kind| kind.is_custom()) {
            let Some(version) = served.version(kind) else { continue };
            let schema = match read_schema(api.client(), kind, version).await {
                Err(RequestError::Forbidden(_)) => {
                    let resource = kind.resource();
                    eprintln!(
                        "portcullis: the CRD of {resource} is not readable (RBAC); fields that its schema lacks are printed, too"
                    );
                    StatusSchema::Any
                }
                read => read.with_context(|| format!("the CRD of {} cannot be read", kind.resource()))?,
            };
            schemas.insert(kind, schema);
        }
        Ok(schemas)
    }

    /// Prints the differences of `objects`. Returns the exit code if everything was read.
    fn print_differences<'m>(
        &self,
        objects: impl Iterator<Item = &'m Manifest>,
        cluster: &mut Cluster,
        plan: &Plan,
    ) -> anyhow::Result<u8> {
        let objects = objects.map(|manifest| (&manifest.object_ref, &*manifest.json));
        let found = compare(objects, cluster, plan.config());
        super::print_text(&match self.output {
            Output::Text => comparison::text(&found),
            Output::Yaml => comparison::yaml(&found)?,
            Output::Json => comparison::json(&found)?,
        })?;
        Ok(if comparison::count(&found) == 0 { exit::SUCCESS } else { exit::FAILURE })
    }

    /// Prints a note about each other controller whose GatewayClasses are among `objects`.
    fn note_controllers<'m>(&self, objects: impl Iterator<Item = &'m Manifest>, plan: &Plan) {
        let own = &plan.config().status.controller_name.value;
        let mut classes: BTreeMap<String, BTreeSet<&ObjectRef>> = BTreeMap::new();
        for manifest in objects.filter(|manifest| manifest.object_ref.kind == Kind::GatewayClass) {
            let Ok(Object::GatewayClass(class)) = manifest.object() else { continue };
            let Some(controller) = class.spec.controller_name.filter(|name| **name != **own) else { continue };
            classes.entry(controller.to_string()).or_default().insert(&manifest.object_ref);
        }
        // A snapshot contains no statuses.
        let advice = if self.state.is_snapshot() { "" } else { "; --compare compares it with the specification" };
        for (controller, classes) in classes {
            let classes = first_names(classes.into_iter());
            let text = format!("`{controller}` writes the status of what belongs to {classes}{advice}");
            eprintln!("portcullis: note: {}", sanitize(&text));
        }
    }

    /// Prints the statuses. Returns the exit code if everything was read.
    fn print(&self, entries: &[StatusEntry], plan: &Plan) -> anyhow::Result<u8> {
        if entries.is_empty() {
            let controller = sanitize(&plan.config().status.controller_name.value);
            eprintln!(
                "portcullis: note: no object gets a status: none is of a class whose controller is `{controller}` (status.controllerName), and \
                 none is an IngressRoute"
            );
        }
        super::print_text(&match self.output {
            Output::Text => text(entries),
            Output::Yaml => yaml(entries)?,
            Output::Json => json(entries)?,
        })?;
        Ok(exit::SUCCESS)
    }
}

/// The exit code, after a notice if something could not be read. `done` is the code if everything could, and a difference takes
/// precedence.
fn complete_unless(unread: usize, done: u8) -> ExitCode {
    if unread == 0 {
        return ExitCode::from(done);
    }
    eprintln!("portcullis: incomplete: {} not read; a status may depend on what they hold", documents(unread));
    ExitCode::from(if done == exit::SUCCESS { exit::INCOMPLETE } else { done })
}

/// The part of an object into which its status is merged.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Stored {
    status: Value,
}

/// The schemas of the statuses of kinds. Those of other kinds are stored as they are.
type Schemas = BTreeMap<Kind, StatusSchema>;

/// The statuses of all `objects` that get one, ordered by reference: each as it is after the write. Notes on standard error name an
/// object whose status another manager writes, and what a status lacks for want of room.
fn entries<'m>(
    objects: impl Iterator<Item = &'m Manifest>,
    cluster: &mut Cluster,
    plan: &Plan,
    schemas: &Schemas,
) -> Vec<StatusEntry> {
    let objects = objects.filter(|manifest| KINDS.contains(manifest.object_ref.kind));
    let stored: BTreeMap<&ObjectRef, &str> = objects.map(|manifest| (&manifest.object_ref, &*manifest.json)).collect();
    let objects = stored.iter().map(|(object_ref, json)| ((*object_ref).clone(), (*json).into()));
    let all = status::of_all(objects, cluster, plan.graph_rules(Timestamp::now()));
    let entry = |(object_ref, desired): (&Arc<ObjectRef>, &DesiredStatus)| {
        let json = stored.get(&**object_ref).copied().unwrap_or_default();
        if let Some(manager) = other_manager(object_ref.kind, json) {
            note(object_ref, &format!("`{manager}` manages the status, so the controller does not write it"));
            return None;
        }
        let Stored { status } = serde_json::from_str(json).unwrap_or_default();
        let Merged { mut status, dropped, omitted } = preview(desired, &status);
        no_room(&dropped, &omitted).iter().for_each(|text| note(object_ref, text));
        if let Some(schema) = schemas.get(&object_ref.kind) {
            schema.project(&mut status);
        }
        Some(StatusEntry::new(object_ref, status))
    };
    all.iter().filter_map(entry).collect()
}

/// Prints a note about an object to standard error.
fn note(object_ref: &ObjectRef, text: &str) {
    eprintln!("portcullis: {}", sanitize(&format!("{object_ref}: {text}")));
}
