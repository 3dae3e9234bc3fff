//! `portcullis compare`: shows which requests a change or a migration answers differently.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{ArgGroup, Args, ValueEnum};
use jiff::{SignedDuration, Timestamp, Zoned};

use super::namespaced_name::parse_namespaced_name;
use super::plan::PlanArgs;
use super::source::{KINDS, Source, serving_if};
use super::state::StateArgs;
use super::{exit, print_text};
use portcullis_core::compare::accepted::Accepted;
use portcullis_core::compare::{self, Kept, Overall, Pairing, Side, Written};
use portcullis_core::explain::{Scope, Snapshot, Stored};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::message::sanitize;
use portcullis_core::report::compare::html::html;
use portcullis_core::report::compare::probes::probes;
use portcullis_core::report::compare::{Compared, document, github, text};

/// Show which requests a change or a migration answers differently, each with a request to try.
///
/// Either compares two sets of files, before and after a change, or two data planes of the same objects, as in a migration. With --context
/// or --against, the files of a change replace objects of that cluster, which has the others.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").required(true).multiple(true)
    .args(["before", "objects", "against", "kubeconfig", "context"]))]
pub struct CompareArgs {
    /// The files or folders before the change; may be repeated.
    #[arg(long, value_name = "PATH", requires = "after", conflicts_with = "objects")]
    before: Vec<PathBuf>,
    /// The files or folders after the change; may be repeated.
    #[arg(long, value_name = "PATH", requires = "before")]
    after: Vec<PathBuf>,
    /// The data plane that answers before: `class/NAME` or `gateway/NAMESPACE/NAME`.
    #[arg(long, value_name = "DATA_PLANE", value_parser = data_plane, requires = "to")]
    from: Option<Scope>,
    /// The data plane that answers after.
    #[arg(long, value_name = "DATA_PLANE", value_parser = data_plane, requires = "from")]
    to: Option<Scope>,
    #[command(flatten)]
    state: StateArgs,
    /// Treat the files as the whole cluster: kinds that they do not contain, except Secrets, have no objects.
    ///
    /// Without it, files contain all that serves requests, but what they refer to may be elsewhere, as for `lint`.
    #[arg(long, conflicts_with_all = ["against", "kubeconfig", "context"])]
    complete: bool,
    /// The ports of the requests, each with http or https, such as http:80,https:8443 [default: http:80 and https:443, and before and
    /// after a change also the ports of listeners]
    #[arg(long, value_name = "SCHEME:PORT", value_delimiter = ',', value_parser = endpoint)]
    ports: Vec<(bool, u16)>,
    /// Treat the differences in this file as the same, until the day that it names.
    #[arg(long, value_name = "FILE")]
    accept: Option<PathBuf>,
    /// Write a request for each region that differs or may do so to this file, for Hurl.
    #[arg(long, value_name = "FILE")]
    probes: Option<PathBuf>,
    /// Write a request for every region to that file.
    #[arg(long, requires = "probes")]
    all: bool,
    /// Write one page to this file that shows how the requests travel on both sides.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Exit with 0 even if it is not known whether some requests are answered differently.
    #[arg(long)]
    allow_unknown: bool,
    #[command(flatten)]
    plan: PlanArgs,
    /// The output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// The output format.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Output {
    /// Text for terminals.
    #[default]
    Text,
    /// One line of JSON.
    Json,
    /// GitHub workflow commands.
    Github,
}

impl CompareArgs {
    /// Prints the differences. The exit code is 2 if a file is invalid, 1 if an answer differs, 3 if it is not known whether one does, and
    /// else 0.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        anyhow::ensure!(
            self.from.is_some() || !self.before.is_empty(),
            "use --from and --to with --objects, --against or --context, or else --before and --after"
        );
        let plan = self.plan.plan(&self.state.cluster)?;
        let kinds = serving_if(self.complete);
        let (before, after) = match self.before.is_empty() {
            true => (Source::of(&self.state, kinds, KINDS)?, None),
            false => {
                let sides = (
                    Source::of_files(&self.before, kinds, "--before")?,
                    Source::of_files(&self.after, kinds, "--after")?,
                );
                let (before, after) = self.with_cluster(sides)?;
                (before, Some(after))
            }
        };
        // A migration has one set of objects.
        let sources: Vec<&Source> = std::iter::once(&before).chain(&after).collect();
        let (last, after) = (sources.len() - 1, after.as_ref().unwrap_or(&before));
        let pairing = if self.from.is_some() { Pairing::All } else { Pairing::ByName };
        let scopes = [&self.from, &self.to].map(|scope| scope.clone().unwrap_or_default());
        let stored: Vec<Vec<Stored<'_>>> = sources.iter().map(|source| source.stored()).collect();
        let snapshots = sources.iter().zip(&stored);
        let snapshots: Vec<Snapshot<'_>> =
            snapshots.map(|(source, objects)| Snapshot::new(objects, &source.cluster, plan.config())).collect();
        let written: Vec<Written<'_>> = sources.iter().map(|source| source.written()).collect();
        let sides = [(0, &scopes[0]), (last, &scopes[1])];
        let sides = sides.map(|(own, scope)| Side { snapshot: &snapshots[own], scope, written: &written[own] });
        let unknown: Vec<String> = sides.iter().flat_map(|side| side.snapshot.unknown_in(side.scope)).collect();
        anyhow::ensure!(unknown.is_empty(), unknown.join("\n"));
        let mut endpoints = BTreeSet::from([(false, 80), (true, 443)]);
        if pairing == Pairing::ByName {
            endpoints.extend(sides.iter().flat_map(|side| side.snapshot.endpoints(side.scope)));
        }
        let default: Vec<(bool, u16)> = endpoints.into_iter().collect();
        let ports = if self.ports.is_empty() { &default } else { &self.ports };
        let kept = Kept { requests: self.probes.is_some(), chains: self.html.is_some() };
        let mut hosts = compare::compare(sides[0], sides[1], pairing, ports, kept);
        let mut unread = before.unread();
        unread.extend(after.unread().into_iter().filter(|_| !self.before.is_empty()));
        let [own, other] = [(&before, after), (after, &before)]
            .map(|(source, other)| source.repeated(Some(other).filter(|_| !self.before.is_empty())));
        unread.extend(own.chain(other).collect::<BTreeSet<_>>());
        unread.extend(sides[0].written.unevaluated_changes(sides[1].written));
        if pairing == Pairing::ByName {
            unread.extend(compare::unplaced_changes(sides[0], sides[1]));
        }
        unread.extend(sides.iter().flat_map(|side| side.snapshot.doubts_in(side.scope)));
        unread.dedup();
        if let Some(file) = &self.accept {
            let read = |file: &PathBuf| anyhow::Ok(Accepted::parse(&fs::read_to_string(file)?)?);
            let accepted = read(file).with_context(|| format!("--accept {}", file.display()))?;
            let notes = accepted.apply(&mut hosts, &mut unread, Zoned::now().date());
            notes.iter().for_each(|note| eprintln!("portcullis: {}: {}", file.display(), sanitize(note)));
        }
        let compared = Compared { hosts: &hosts, unread: &unread };
        if let Some(file) = &self.probes {
            fs::write(file, probes(&compared, self.all)).with_context(|| format!("--probes {}", file.display()))?;
        }
        if let Some(file) = &self.html {
            fs::write(file, html(&compared)).with_context(|| format!("--html {}", file.display()))?;
        }
        print_text(&match self.output {
            Output::Text => text::text(&compared),
            Output::Json => document::json(&compared),
            Output::Github => github::render(
                &compared,
                |object, field| before.place(object, field),
                |object, field| after.place(object, field),
            ),
        })?;
        if before.invalid().chain(after.invalid()).any(|invalid| unread.contains(&invalid)) {
            return Ok(ExitCode::from(exit::ERROR));
        }
        Ok(ExitCode::from(match compared.overall() {
            Overall::Different => exit::FAILURE,
            Overall::Unknown if !self.allow_unknown => exit::INCOMPLETE,
            Overall::Unknown | Overall::Same => exit::SUCCESS,
        }))
    }
}

impl CompareArgs {
    /// The files before and after the change, with the other objects of the cluster or the snapshot that is named. What is only in the
    /// files after the change is younger than all other objects, as an API server would create it.
    fn with_cluster(&self, (before, after): (Source, Source)) -> anyhow::Result<(Source, Source)> {
        let cluster = self.state.is_named().then(|| Source::of(&self.state, KindSet::EMPTY, KINDS)).transpose()?;
        let now = Timestamp::now();
        let known = cluster.iter().flat_map(Source::references).chain(before.references());
        let mut times: BTreeMap<ObjectRef, Timestamp> = known.map(|object| (object, now)).collect();
        times.extend(before.creation_times().chain(cluster.iter().flat_map(Source::creation_times)));
        // ingress-nginx compares whole seconds.
        let later = now + SignedDuration::from_secs(1);
        let created = |object: &ObjectRef| times.get(object).copied().unwrap_or(later);
        let sides: BTreeSet<ObjectRef> = before.references().chain(after.references()).collect();
        let cluster = cluster.map(|cluster| cluster.with_creation_times(created));
        let [before, after] = [before, after].map(|side| {
            let side = side.with_creation_times(created);
            match &cluster {
                Some(cluster) => side.over(cluster, &sides),
                None => side,
            }
        });
        Ok((before, after))
    }
}

/// Parses a data plane.
fn data_plane(written: &str) -> Result<Scope, String> {
    match written.split_once('/') {
        Some(("class", name)) if !name.is_empty() => Ok(Scope { class: Some(name.to_owned()), gateway: None }),
        Some(("gateway", name)) => {
            let (namespace, name) = parse_namespaced_name(name)?;
            Ok(Scope { class: None, gateway: Some(ObjectRef::new(Kind::Gateway, &namespace, &name)) })
        }
        _ => Err("use class/NAME or gateway/NAMESPACE/NAME".to_owned()),
    }
}

/// Parses a scheme with a port.
fn endpoint(written: &str) -> Result<(bool, u16), String> {
    let parsed = written.split_once(':').and_then(|(scheme, port)| {
        let is_secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        Some((is_secure, port.parse().ok().filter(|port| *port > 0)?))
    });
    parsed.ok_or_else(|| "use http:PORT or https:PORT, such as https:8443".to_owned())
}
