//! Runs the `portcullis` program as a child process of a trial.

use super::clock::shift_wall_clock;
use super::http::Http;
use super::process_guard::process_guard;
use super::wait::until;
use super::webhooks::Callee;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Long enough for a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running `portcullis serve` that listens on both ports. Dropping it kills it.
pub struct PortcullisServer {
    child: Child,
    /// The address of `/validate` and `/mutate`, over TLS.
    pub webhook: SocketAddr,
    /// The address of `/readyz` and `/metrics`, in plain HTTP.
    pub health: SocketAddr,
    /// The file with the CA of its certificate.
    pub ca: PathBuf,
    ca_pem: String,
    log: Log,
    client: Http,
}

impl PortcullisServer {
    /// Starts the program with these arguments in addition to those that every trial needs. Waits until it serves, but
    /// not until it is ready.
    pub fn start<Arg: AsRef<OsStr>>(args: impl IntoIterator<Item = Arg>) -> Self {
        let certificates = process_guard().folder("gate");
        let mut command = serve(&program(), args);
        command.arg("--cert-dir").arg(&certificates);
        Self::spawn(command, &certificates.join("ca.crt"))
    }

    /// The same with log level `trace`.
    pub fn tracing<Arg: AsRef<OsStr>>(args: impl IntoIterator<Item = Arg>) -> Self {
        let certificates = process_guard().folder("gate");
        let mut command = serve(&program(), args);
        command.env("RUST_LOG", "trace").arg("--cert-dir").arg(&certificates);
        Self::spawn(command, &certificates.join("ca.crt"))
    }

    /// The same with an operator's certificate in the arguments. `ca` is the file with its CA.
    pub fn with_certificate<Arg: AsRef<OsStr>>(args: impl IntoIterator<Item = Arg>, ca: &Path) -> Self {
        Self::spawn(serve(&program(), args), ca)
    }

    /// The same for a process whose wall clock is wrong by so much, such as `+5m`.
    pub fn with_wrong_clock<Arg: AsRef<OsStr>>(offset: &str, args: impl IntoIterator<Item = Arg>, ca: &Path) -> Self {
        let mut command = serve(&program(), args);
        shift_wall_clock(&mut command, offset);
        Self::spawn(command, ca)
    }

    /// Starts the program, which must fail. Returns the exit code and stderr.
    pub fn refused<Arg: AsRef<OsStr>>(args: impl IntoIterator<Item = Arg>) -> (Option<i32>, String) {
        let mut command = serve(&program(), args);
        let output = command.arg("--cert-dir").arg(process_guard().folder("gate")).output();
        let output = output.unwrap_or_else(|why| panic!("{command:?}: {why}"));
        (output.status.code(), String::from_utf8(output.stderr).expect("it speaks UTF-8"))
    }

    fn spawn(mut command: Command, ca: &Path) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap_or_else(|why| panic!("{command:?}: {why}"));
        let log = Log::follow(child.stderr.take().expect("its stderr is piped"));
        let Some(serving) = log.wait_for("serving") else {
            kill(&mut child);
            panic!("{command:?} never logged that it serves\n{}", log.text());
        };
        Self::serving(child, log, &serving, ca)
    }

    fn serving(child: Child, log: Log, line: &Value, ca: &Path) -> Self {
        let address = |name: &str| {
            line["fields"][name].as_str().and_then(|text| text.parse().ok()).expect("an address in the log")
        };
        let (webhook, health): (SocketAddr, SocketAddr) = (address("webhook"), address("health"));
        let ca_pem = std::fs::read_to_string(ca).expect("the CA is written before it serves");
        let client = Http::new(&format!("https://{webhook}"), &ca_pem);
        Self { child, webhook, health, ca: ca.to_owned(), ca_pem, log, client }
    }

    /// Waits until `/readyz` answers 200.
    pub fn ready(self) -> Self {
        let health = self.health();
        let came = until(PATIENCE, || (health.get("/readyz").0 == 200).then_some(()));
        assert!(came.is_some(), "not ready: {}\n{}", self.readiness(), self.log());
        self
    }

    /// A client for the health address.
    pub fn health(&self) -> Http {
        Http::new(&format!("http://{}", self.health), "")
    }

    /// Posts a review over TLS on a persistent connection. Returns the status and the JSON of the response.
    pub fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> (u16, Value) {
        self.client.post(path, body)
    }

    /// The same with the bytes of the response.
    pub fn post_bytes(&self, path: &str, body: impl Into<Vec<u8>>) -> (u16, Vec<u8>) {
        self.client.post_bytes(path, body)
    }

    /// The value of one series in `/metrics`, such as `portcullis_objects{kind="Ingress"}`; `None` if there is none.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let (_, metrics) = self.health().get("/metrics");
        metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
    }

    /// What `/readyz?verbose` says.
    pub fn readiness(&self) -> String {
        self.health().get("/readyz?verbose").1
    }

    /// The line of `/readyz?verbose` about one condition, such as `[+]lease ok: leading`; empty if there is none.
    pub fn condition(&self, name: &str) -> String {
        let is_wanted =
            |line: &&str| line.split_once(']').is_some_and(|(_, rest)| rest.split(' ').next() == Some(name));
        self.readiness().lines().find(is_wanted).unwrap_or_default().to_owned()
    }

    /// Whether it holds the Lease.
    pub fn is_leader(&self) -> bool {
        self.metric("portcullis_leader") == Some(1.0)
    }

    /// The log so far.
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Waits for a log line with this message.
    pub fn logs(&self, message: &str) -> Value {
        self.log.wait_for(message).unwrap_or_else(|| panic!("never logged: {message}\n{}", self.log()))
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A row of `/proc/PID/status` about memory, such as `VmRSS`, in MiB.
    pub fn memory(&self, row: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("the process runs");
        let value =
            status.lines().find_map(|line| line.strip_prefix(row)?.strip_prefix(':')).expect("Linux reports it");
        let kib: u64 = value.trim().trim_end_matches(" kB").parse().expect("a number");
        kib.div_ceil(1_024)
    }

    /// The CPU time that the process has used.
    pub fn cpu_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).expect("the process runs");
        let (_, fields) = stat.rsplit_once(')').expect("the name of the program comes first");
        let ticks: u64 = fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 1_000 / rustix::param::clock_ticks_per_second())
    }

    /// Sends this signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let sent = process_guard().command("kill").args([&format!("-{name}"), &self.pid().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "SIG{name} could not be sent");
    }

    /// Waits until the process has ended, and returns its log, too.
    pub fn wait(mut self) -> (ExitStatus, String) {
        let ended = until(PATIENCE, || self.child.try_wait().expect("a child of ours can be waited for"));
        let ended = ended.unwrap_or_else(|| panic!("still runs after {PATIENCE:?}\n{}", self.log()));
        (ended, self.log.whole())
    }

    /// Sends SIGTERM and waits until the process has ended.
    pub fn terminate(self) -> (ExitStatus, String) {
        self.signal("TERM");
        self.wait()
    }
}

impl Callee for PortcullisServer {
    fn address(&self) -> SocketAddr {
        self.webhook
    }

    fn ca_pem(&self) -> &str {
        &self.ca_pem
    }
}

impl Drop for PortcullisServer {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

/// The program under test: the one that cargo built, or the one in `PORTCULLIS_BIN`, such as a release build.
fn program() -> PathBuf {
    std::env::var_os("PORTCULLIS_BIN").map_or_else(|| env!("CARGO_BIN_EXE_portcullis").into(), PathBuf::from)
}

/// `portcullis serve` with these arguments, on free ports, with a JSON log.
fn serve<Arg: AsRef<OsStr>>(program: &Path, args: impl IntoIterator<Item = Arg>) -> Command {
    let mut command = process_guard().command(program);
    command.arg("serve").args(args).arg("--log-format=json");
    for option in ["--listen=", "--health-listen="] {
        if !command.get_args().any(|arg| arg.to_string_lossy().starts_with(option)) {
            command.arg(format!("{option}127.0.0.1:0"));
        }
    }
    command
}

fn kill(child: &mut Child) {
    // A child that has ended cannot be killed, but it can still be waited for.
    let _ = child.kill();
    child.wait().expect("a child of ours can be waited for");
}

/// The lines on the stderr of a child, collected as they arrive.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Lines>>);

#[derive(Default)]
struct Lines {
    lines: Vec<String>,
    ended: bool,
}

impl Log {
    fn follow(stderr: impl std::io::Read + Send + 'static) -> Self {
        let log = Self::default();
        let ours = log.clone();
        thread::spawn(move || {
            BufReader::new(stderr).lines().map_while(Result::ok).for_each(|line| ours.lines().lines.push(line));
            ours.lines().ended = true;
        });
        log
    }

    /// The first line with this message; `None` if it does not appear in time or the child closes its stderr before.
    fn wait_for(&self, message: &str) -> Option<Value> {
        until(PATIENCE, || match self.find(message) {
            None if !self.lines().ended => None,
            found => Some(found),
        })?
    }

    fn find(&self, message: &str) -> Option<Value> {
        let lines = self.lines();
        let mut entries = lines.lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        entries.find(|entry| entry["fields"]["message"] == message)
    }

    /// All lines of a child that has ended.
    fn whole(&self) -> String {
        until(PATIENCE, || self.lines().ended.then_some(()));
        self.text()
    }

    fn text(&self) -> String {
        self.lines().lines.join("\n")
    }

    fn lines(&self) -> std::sync::MutexGuard<'_, Lines> {
        self.0.lock().expect("no holder panics")
    }
}
