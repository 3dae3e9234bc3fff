//! Measures the cost of a review: `cargo bench --bench reviews`.
//!
//! The product and a baseline (TLS and HTTP with a canned response) get the same reviews from the same load generator,
//! in interleaved rounds. The CPU times per review are compared. Every response is checked, and a wrong one fails the
//! bench. An exceeded bound is only printed, since the machine may be shared.

mod added_latency;
mod cluster;
mod connection;
mod cpu;
mod delegations;
mod floor;
mod framework;
mod gateways;
#[allow(dead_code, unused_imports, reason = "the trials use the rest of it")]
#[path = "../../tests/it/harness/mod.rs"]
mod harness;
mod http;
mod http_route;
mod ingress;
mod ingress_route;
mod load;
mod metadata;
mod objects;
mod paced;
mod payload;
mod product;
mod rounds;
mod routes;
mod server;
mod table;
mod tls;
mod under_load;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use clap::{Parser, Subcommand};
use tokio::runtime;

use crate::payload::Payload;
use crate::product::Product;
use crate::rounds::{Contender, Outcome, Plan};
use crate::server::{PINNED, SERVER_CORE, Server, on_core};
use crate::table::{Row, Table, figure, mebibytes};

/// The number of Ingresses in the index, without the reviewed one.
const INGRESSES: usize = 10_000;
/// The maximum share of time waiting for a core at which a ratio is reliable: another process on the core also evicts
/// its caches.
const QUIET: f64 = 0.1;
/// The number of concurrent connections of the load generator.
const CONNECTIONS: usize = 16;

/// Measures what a review costs.
#[derive(Parser)]
struct Args {
    /// How many times every server has its turn.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long a turn is measured, in seconds.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Measure response times under load instead, so many seconds for each load.
    #[arg(long, value_name = "SECONDS")]
    under_load: Option<f64>,
    /// Of these, measure only the one with this name, or those whose name contains this text.
    #[arg(long, value_name = "TEXT", requires = "under_load", default_value = "")]
    only: String,
    /// Measure only what needs an API server.
    #[arg(long, conflicts_with = "under_load")]
    in_cluster: bool,
    /// What cargo says to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
    #[command(subcommand)]
    role: Option<Role>,
}

/// What this program is when it starts itself.
#[derive(Subcommand)]
#[command(hide = true)]
enum Role {
    /// The floor, with the certificate in a folder.
    Floor { certificate: PathBuf },
    /// The framework with the floor's answer.
    Framework { certificate: PathBuf },
    /// The load, by the order on stdin.
    Load,
    /// The load at fixed rates, by the order on stdin.
    Paced,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    match &args.role {
        Some(Role::Floor { certificate }) => runtime.block_on(floor::serve(certificate)),
        Some(Role::Framework { certificate }) => runtime.block_on(framework::serve(certificate)),
        Some(Role::Load) => runtime.block_on(load::serve()),
        Some(Role::Paced) => runtime.block_on(paced::serve()),
        None => match args.under_load {
            Some(seconds) => under_load::bench(&Own::start()?, Duration::from_secs_f64(seconds), &args.only),
            None if args.in_cluster => in_cluster(&Own::start()?),
            None => bench(&args),
        },
    }
}

/// The servers of the bench itself.
struct Own {
    folder: tempfile::TempDir,
    floor: Server,
    again: Server,
    framework: Server,
}

impl Own {
    fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        tls::make_certificate(folder.path())?;
        let start = |role| own_server(role, folder.path());
        Ok(Self { floor: start("floor")?, again: start("floor")?, framework: start("framework")?, folder })
    }

    fn contender<'a>(&self, name: &'static str, server: &'a Server, bound: Option<f64>) -> Contender<'a> {
        Contender { name, server, certificate: self.folder.path().to_owned(), bound }
    }
}

fn own_server(role: &str, certificate: &Path) -> Result<Server> {
    let mut command = on_core(SERVER_CORE, std::env::current_exe()?);
    command.arg(role).arg(certificate);
    Server::start(command)
}

fn bench(args: &Args) -> Result<()> {
    let plan = Plan { rounds: args.rounds, window: Duration::from_secs_f64(args.seconds), connections: CONNECTIONS };
    let own = Own::start()?;
    introduce(plan);
    let product = Product::over_files(own.folder.path(), objects::ingresses(INGRESSES));
    let mut contenders = vec![
        own.contender("floor", &own.floor, None),
        own.contender("floor, second process", &own.again, None),
        own.contender("axum + hyper + rustls, canned", &own.framework, Some(1.35)),
    ];
    contenders.extend(product.iter().map(|product| ours(product, Some(3.2))));
    print(&rounds::measure(&contenders, &payload::ordinary(), plan)?);
    rest(&own, &product?, plan)?;
    routes::bench(&own, plan)?;
    delegations::bench(&own, plan)?;
    in_cluster(&own)
}

/// Measures beside an API server, which ends afterwards.
fn in_cluster(own: &Own) -> Result<()> {
    let result = cluster::bench(own.folder.path());
    harness::end();
    result
}

/// Prints what is sent, how often, and on which cores.
fn introduce(plan: Plan) {
    println!("{} rounds of {:?}, {CONNECTIONS} connections, {}", plan.rounds, plan.window, introduce_cores());
    for payload in [payload::ordinary(), payload::large(), payload::wide(), payload::route(), payload::second_root()] {
        println!("{}: {} bytes", payload.name, payload.body.len());
    }
    let other = objects::ingresses(1).map(|object| object.json.len()).sum::<usize>();
    println!("index: {INGRESSES} Ingresses of {other} bytes");
    let other = http_route::http_routes(1).map(|object| object.json.len()).sum::<usize>();
    println!("index of the HTTPRoute: {} others of {other} bytes", routes::HTTP_ROUTES);
    let other = ingress_route::roots(1).map(|object| object.json.len()).sum::<usize>();
    println!("index of the IngressRoute: {} others of {other} bytes\n", delegations::ROOTS);
}

fn introduce_cores() -> &'static str {
    if *PINNED { "server and load on a core each" } else { "NOT pinned: no `taskset`, or one core" }
}

fn ours(product: &Product, bound: Option<f64>) -> Contender<'_> {
    Contender { name: "portcullis", server: &product.server, certificate: product.certificate.clone(), bound }
}

/// Measures what concerns only the product.
fn rest(own: &Own, product: &Product, plan: Plan) -> Result<()> {
    let contenders = [own.contender("floor", &own.floor, None), ours(product, None)];
    refuses(&contenders[1], &payload::conflicting(), plan)?;
    print(&rounds::measure(&contenders, &payload::large(), plan)?);
    let single = Plan { connections: 1, ..plan };
    let ordinary = rounds::measure(&contenders, &payload::ordinary(), single)?;
    let wide = rounds::measure(&contenders, &payload::wide(), single)?;
    let facts = product.facts()?;
    let rows = vec![
        figure("one connection, 9.5 KB: p50 to the floor's", ordinary[1].latency / ordinary[0].latency, Some(1.3)),
        figure("one connection, 1,000 hosts x 10 paths: p50, ms", wide[1].latency / 1e3, Some(20.0)),
        figure("over files: start to ready, s", product.start.as_secs_f64(), None),
        figure("over files: resident, MiB", mebibytes(cpu::resident(product.server.pid())?), None),
        figure("checks that ran", facts.checks as f64, None),
        figure("Ingresses in the index", facts.indexed as f64, None),
    ];
    println!("{}", Table { figures: vec!["measured"], rows });
    Ok(())
}

/// Checks that the product denies a review. A server that allows everything would be fast, and this denial requires the
/// whole index.
fn refuses(contender: &Contender<'_>, payload: &Payload, plan: Plan) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(load::ask(&rounds::order(contender, payload, plan)))
}

fn print(outcomes: &[Outcome]) {
    let rows = outcomes.iter().map(Row::from).collect();
    println!("{}", Table { figures: rounds::FIGURES.to_vec(), rows });
    // The threads of the product also wait for each other. Those of the baseline wait only for other processes.
    if outcomes.iter().any(|outcome| outcome.what.ends_with("floor") && outcome.waited > QUIET) {
        println!(
            "The machine was not quiet: the floor waited for its core. Ratios of this table are too high or too low.\n"
        );
    }
}
