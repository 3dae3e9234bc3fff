//! Floods of connections that send nothing: more than the program keeps, and more than it has file descriptors for.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod slow_clients;

use std::env;
use std::fs;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustls::ClientConfig;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::sleep;

use crate::e2e::report::{figure, within};
use crate::harness::{PortcullisServer, RUNTIME, process_guard};
use crate::reviews;
use crate::test_server::{exchange, handshake, post, trust};

/// How many connections are opened; 20,000 with `PORTCULLIS_SLOW=1` (`just soak-server`).
const CONNECTIONS: usize = 2_000;
const MANY: usize = 20_000;
/// After how many of them a review is sent over a new connection.
const EVERY: usize = 250;
/// How soon a review over a new connection must be answered: before a silent connection is closed for its silence, after
/// 5 s, which a review that finds no place among them would wait for.
const ANSWERED: Duration = Duration::from_secs(4);
/// The connections that the program keeps.
const KEPT: usize = 1_024;
/// Its other files: listeners, pipes, the event queue.
const OTHER_FILES: usize = 64;
/// How many file descriptors are left where they run out, how many connections want one, and for how long they wait.
const FEW_FILES: usize = 20;
const BEYOND: usize = 200;
const WAITING: Duration = Duration::from_secs(3);

pub fn trials() -> Vec<Trial> {
    vec![
        trial("flood::of_connections", |target| RUNTIME.block_on(of_connections(target))),
        trial("flood::of_slow_clients", |target| RUNTIME.block_on(slow_clients::slow_clients(target))),
        trial("flood::lack_of_file_descriptors", |target| {
            RUNTIME.block_on(lack_of_file_descriptors(target));
            let failures = target.server.metric("portcullis_connections_not_accepted_total").unwrap();
            assert!(failures > 0.0, "file descriptors did not run out");
        }),
    ]
}

fn trial(name: &str, test: fn(&Target)) -> Trial {
    Trial::test(name, move || {
        test(&Target::start());
        Ok(())
    })
}

/// A program without objects, and a client that trusts it.
struct Target {
    server: PortcullisServer,
    trust: Arc<ClientConfig>,
}

impl Target {
    fn start() -> Self {
        let objects = format!("--objects={}", process_guard().folder("objects").display());
        let server = PortcullisServer::start([objects]).ready();
        let trust = trust(&[&server.ca]);
        Self { server, trust }
    }

    /// How long a review over a new connection takes.
    async fn review(&self) -> Duration {
        let since = Instant::now();
        let mut stream = handshake(self.server.webhook, self.trust.clone()).await.unwrap();
        let body = reviews::create(&reviews::ingress("team-b", "write", "shop.example.com", "/"));
        let answer = exchange(&mut stream, &post("/validate", body.as_bytes())).await;
        assert!(answer.starts_with("200: ") && answer.contains(r#""allowed":true"#), "{answer}");
        since.elapsed()
    }

    /// A connection from one of twenty addresses, that sends nothing.
    async fn silent(&self, number: usize) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        let host = u8::try_from(2 + number % 20).unwrap();
        socket.bind((Ipv4Addr::new(127, 0, 0, host), 0).into()).unwrap();
        socket.connect(self.server.webhook).await.unwrap()
    }

    /// How many files the process has open.
    fn files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.server.pid())).unwrap().count()
    }

    /// Limits the number of files of the running process.
    fn limit_files(&self, limit: usize) {
        let mut command = process_guard().command("prlimit");
        command.arg(format!("--pid={}", self.server.pid())).arg(format!("--nofile={limit}:"));
        assert!(command.status().unwrap().success(), "prlimit (util-linux) is needed");
    }
}

async fn of_connections(target: &Target) {
    let wanted = if env::var_os("PORTCULLIS_SLOW").is_some() { MANY } else { CONNECTIONS };
    let count = wanted.min(allow_files(wanted + OTHER_FILES) - OTHER_FILES);
    let before = target.server.cpu_time();
    let (mut flood, mut slowest, mut most_files) = (Vec::new(), Duration::ZERO, 0);
    for number in 0..count {
        flood.push(target.silent(number).await);
        if number % EVERY == 0 {
            slowest = slowest.max(target.review().await);
            most_files = most_files.max(target.files());
        }
    }
    within(&format!("{count} connections that send nothing: a review over a new one, at most"), ANSWERED, slowest);
    let limit = KEPT + OTHER_FILES;
    figure("the same: files that the process has open", &limit.to_string(), most_files);
    figure(
        "the same: CPU time of the process",
        "",
        format!("{:.2} s", (target.server.cpu_time() - before).as_secs_f64()),
    );
    assert!((KEPT / 2..=limit).contains(&most_files), "{most_files} files are open");
    drop(flood);
    within("after the flood, a review", ANSWERED, target.review().await);
}

async fn lack_of_file_descriptors(target: &Target) {
    target.review().await;
    target.limit_files(target.files() + FEW_FILES);
    let mut flood = Vec::new();
    for number in 0..BEYOND {
        flood.push(target.silent(number).await);
    }
    let before = target.server.cpu_time();
    sleep(WAITING).await;
    let used = target.server.cpu_time() - before;
    within("no file descriptor left for 3 s: CPU time of the process", WAITING / 10, used);
    drop(flood);
    within("the same, after the flood: a review", ANSWERED, target.review().await);
}

/// Raises the limit of open files of this process as far as it can. Returns the limit.
fn allow_files(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let wanted = u64::try_from(wanted).unwrap();
    let raised = Rlimit { current: Some(wanted), maximum: limit.maximum.map(|maximum| maximum.max(wanted)) };
    let mut reached = limit.current.unwrap_or(u64::MAX);
    if reached < wanted {
        let as_far = Rlimit { current: limit.maximum, maximum: limit.maximum };
        reached = if setrlimit(Resource::Nofile, raised).is_ok() { wanted } else { as_far.current.unwrap_or(wanted) };
        if reached < wanted {
            setrlimit(Resource::Nofile, as_far).unwrap();
        }
    }
    usize::try_from(reached.min(wanted)).unwrap()
}
