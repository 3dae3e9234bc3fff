//! End to end: the image in real pods, behind a real Service, on the cluster that a script of `tests/kind` or `tests/node`
//! started. `tests/end-to-end.sh` runs them; without it, there are none. They run one after another, in this order.

mod cert_manager;
mod certificates;
mod cluster;
mod gitops;
mod hosts;
mod install;
mod knowledge;
mod load;
mod races;
pub mod report;
mod restarts;
mod soak;
mod statuses;
mod uninstall;
mod versions;

use std::sync::Mutex;
use std::time::Instant;

use libtest_mimic::{Failed, Trial};

use cluster::Cluster;

/// A step, which panics if it fails.
type Step = fn(&Cluster);

/// The steps of the short form, in order. Each expects what the steps before it have installed.
const STEPS: [(&str, Step); 19] = [
    ("prepare", Cluster::prepare),
    ("by_kustomize", install::by_kustomize),
    ("rotations", certificates::rotations),
    ("by_chart", install::by_chart),
    ("helm_test", install::helm_test),
    ("arm", install::arm),
    ("rollouts", restarts::rollouts),
    ("upgrade", restarts::upgrade),
    ("eviction", restarts::eviction),
    ("kill", restarts::kill),
    (NODE_LOSS, restarts::node_loss),
    ("cut_off", knowledge::cut_off),
    ("ca_bundle", certificates::an_emptied_ca_bundle),
    ("foreign_apply", certificates::a_foreign_apply),
    ("disarm", install::disarm),
    // After steps that leave the pods alone, since a configuration is kept only after a minute.
    ("broken_configuration", knowledge::broken_configuration),
    ("no_rights", knowledge::a_new_pod_without_rights),
    ("rebuild", uninstall::a_cluster_is_rebuilt_without_pods),
    ("uninstall", uninstall::by_chart),
];

/// The step that only a cluster of two nodes has.
const NODE_LOSS: &str = "node_loss";

/// Steps that CI does not run. Each expects nothing, and leaves nothing behind: `tests/end-to-end.sh node long::`.
const LONG: [(&str, Step); 5] = [
    ("cert_manager", cert_manager::issued_and_renewed),
    ("gitops", gitops::no_differences),
    ("lifetimes", certificates::lifetimes_that_are_set_back),
    ("races", races::races),
    ("statuses", statuses::published_address),
];

/// The steps of `just soak`, in order. Like those of the short form, each expects what the steps before it have installed.
const SOAK: [(&str, Step); 9] = [
    ("install", soak::install),
    ("replacements", soak::replacements),
    ("starved", soak::starved),
    ("api_server", soak::api_server),
    ("etcd", soak::etcd),
    ("every_replica_cut_off", knowledge::every_replica_cut_off),
    ("watches", soak::watches),
    ("memory", soak::memory),
    ("uninstall", soak::uninstall),
];

pub fn trials() -> Vec<Trial> {
    let Some(cluster) = Cluster::of_environment() else { return Vec::new() };
    let cluster: &'static Cluster = Box::leak(Box::new(cluster));
    let trial = |family: &str, (name, step): (&'static str, Step)| {
        Trial::test(format!("{family}::{name}"), move || run(name, step, cluster))
    };
    let steps = STEPS.into_iter().filter(|(name, _)| *name != NODE_LOSS || cluster.worker().is_some());
    let steps = steps.map(|step| trial("e2e", step));
    let long = LONG.into_iter().map(|step| trial("long", step));
    // Only where another version was built.
    let upgrade = versions::previous().map(|_| trial("long", ("upgrade", versions::upgrade)));
    let soak = SOAK.into_iter().map(|step| trial("soak", step));
    steps.chain(long).chain(upgrade).chain(soak).collect()
}

/// Runs a step, unless one before it has failed.
fn run(name: &'static str, step: Step, cluster: &Cluster) -> Result<(), Failed> {
    static RUNNING: Mutex<Option<&str>> = Mutex::new(None);
    let before = RUNNING.lock().expect("no holder panics").replace(name);
    match before {
        Some(before) => {
            RUNNING.lock().expect("no holder panics").replace(before);
            Err(Failed::from(format!("not run, because the step {before} failed")))
        }
        None => {
            let since = Instant::now();
            step(cluster);
            println!("{name} took {}", report::seconds(since.elapsed()));
            *RUNNING.lock().expect("no holder panics") = None;
            Ok(())
        }
    }
}
