//! The server of the demo: `portcullis serve` over a folder, as a child process.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use http::Request;
use kube::{Client, Config};
use pem::parse_many;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

/// A running server. It ends with this value.
pub(super) struct DemoServer {
    process: Child,
    url: String,
    client: Client,
    runtime: Runtime,
}

impl DemoServer {
    /// Starts a server over the objects in `folder/cluster`, which counts as the whole cluster. Its certificates are in
    /// `folder/certs`.
    pub(super) fn start(folder: &Path) -> anyhow::Result<Self> {
        let certificates = folder.join("certs");
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["serve", "--complete", "--log-format", "json"]);
        command.args(["--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"]);
        command.arg("--objects").arg(folder.join("cluster")).arg("--cert-dir").arg(&certificates);
        let mut process = command.stderr(Stdio::piped()).spawn().context("cannot run this program again")?;
        let log = process.stderr.take().context("the server has no standard error")?;
        let Some(url) = url(log) else {
            process.kill()?;
            process.wait()?;
            bail!("the server did not start");
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(async { client(&url, &fs::read(certificates.join("ca.crt"))?) })?;
        Ok(Self { process, url, client, runtime })
    }

    /// The URL of the server, without a path.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Posts an AdmissionReview to `path` and returns the response in the answer.
    pub(super) fn review(&self, path: &str, review: &Value) -> anyhow::Result<Value> {
        let request =
            Request::post(path).header("Content-Type", "application/json").body(serde_json::to_vec(review)?)?;
        let mut answer: Value = self.runtime.block_on(self.client.request(request))?;
        Ok(answer["response"].take())
    }
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A client that trusts only the CA in `ca_pem`.
fn client(url: &str, ca_pem: &[u8]) -> anyhow::Result<Client> {
    let mut config = Config::new(url.parse()?);
    config.root_cert = Some(parse_many(ca_pem)?.into_iter().map(pem::Pem::into_contents).collect());
    Ok(Client::try_from(config)?)
}

/// The URL of the webhooks, from the line of the log that the server writes when it serves. What it writes after that is
/// read and ignored, and what it writes instead is printed.
fn url(log: impl Read + Send + 'static) -> Option<String> {
    let mut lines = BufReader::new(log).lines().map_while(Result::ok);
    let url = lines.by_ref().find_map(|line| {
        let entry: Option<Value> = serde_json::from_str(&line).ok();
        let address = entry.as_ref().and_then(|entry| entry["fields"]["webhook"].as_str());
        if address.is_none() && !line.contains("\"INFO\"") {
            eprintln!("{line}");
        }
        address.map(|address| format!("https://{address}"))
    });
    std::thread::spawn(move || lines.for_each(drop));
    url
}
