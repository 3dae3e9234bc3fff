//! `portcullis audit`: the checks over what a cluster holds, read once, with nothing installed.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::{ClusterArgs, ConfigArgs, exit};
use crate::checks::Plan;
use crate::cluster::{Cluster, Event, Facts, Knowledge};
use crate::files::Manifest;
use crate::kinds::Kind;
use crate::report::{Report, text};
use crate::review::stored;
use crate::watch;

/// Tell what would be refused or warned of in a live cluster; only reads.
#[derive(Debug, Args)]
pub struct Audit {
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    config: ConfigArgs,
    /// Judge by this profile, whatever the configuration says.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
}

impl Audit {
    /// Prints what was found, namespace by namespace. The code is 1 where something would be refused.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(self.profile.as_deref())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let report = runtime.block_on(self.report(&plan))?;
        super::say_ending(&plan, &report);
        print!("{}", text::render_by_namespace(&report));
        Ok(ExitCode::from(if report.refused() == 0 { exit::CLEAN } else { exit::REFUSED }))
    }

    async fn report(&self, plan: &Plan) -> anyhow::Result<Report> {
        let client = watch::client(self.cluster.kubeconfig.as_deref(), self.cluster.context.as_deref()).await?;
        let (mut cluster, mut judged) = (Cluster::default(), Vec::new());
        let served = watch::discover(&client).await?;
        served.schemas().into_iter().for_each(|event| cluster.apply(event));
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_judged() || plan.needs().contains(*kind)) {
            let Some(version) = served.version(kind) else {
                cluster.apply(Event::Learned(kind, Knowledge::NotServed));
                continue;
            };
            match watch::list(&client, kind, version).await? {
                Some(objects) => judged.extend(take_in(&mut cluster, kind, objects)),
                None => {
                    eprintln!("portcullis: {} may not be read: checks that need them are silent", kind.api().plural);
                    cluster.apply(Event::Learned(kind, Knowledge::Forbidden));
                }
            }
        }
        let (mut report, now) = (Report::default(), Timestamp::now());
        for object in judged {
            report.add("", &object.place, stored::judge(plan, &cluster, &object.place, &object.json, now));
        }
        Ok(report)
    }
}

/// Enters the objects into the view; those that are judged come back.
fn take_in(cluster: &mut Cluster, kind: Kind, objects: Vec<Manifest>) -> Vec<Manifest> {
    let read: Vec<_> = objects.iter().filter_map(|object| object.object().ok()).collect();
    // An object of another shape is there, but nobody can say what it is.
    let knowledge = if read.len() == objects.len() { Knowledge::Complete } else { Knowledge::Partial };
    for object in &read {
        cluster.apply(Event::Put(Facts::of(object)));
    }
    cluster.apply(Event::Learned(kind, knowledge));
    if kind.is_judged() { objects } else { Vec::new() }
}
