//! `portcullis explain`: shows which object answers a request, and why the others do not.

use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::namespaced_name::parse_namespaced_name;
use super::plan::PlanArgs;
use super::record::record;
use super::source::{KINDS, SourceArgs};
use super::{exit, print_text};
use portcullis_core::explain::{Request, Scope, Snapshot};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::report::{answer, answer_document};

/// Show which object answers a request, by which rule and chain, and why the other candidates do not.
#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
pub struct ExplainArgs {
    /// The method of the request.
    #[arg(value_name = "METHOD", default_value = "GET")]
    method: String,
    /// The URL of the request, such as https://shop.example.com/cart.
    #[arg(value_name = "URL", required_unless_present = "record")]
    url: Option<String>,
    /// Instead of a request, write one for each rule that answers to this file, or to recorded.yaml in this folder, with today's answers as
    /// tests for `config test`.
    #[arg(long, value_name = "FILE", requires = "files", conflicts_with_all = ["method", "url", "headers", "sni", "client", "port", "output"])]
    record: Option<PathBuf>,
    /// A header of the request, also as `NAME: VALUE`; may be repeated. `host` overrides the host of the URL.
    #[arg(long = "header", value_name = "NAME=VALUE")]
    headers: Vec<String>,
    /// The server name (SNI) of the TLS handshake [default: the host of the URL]
    #[arg(long, value_name = "NAME")]
    sni: Option<String>,
    #[command(flatten)]
    source: SourceArgs,
    /// Consider only Ingresses, HTTPProxies and IngressRoutes of this class.
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Consider only this Gateway.
    #[arg(long, value_name = "NAMESPACE/NAME", value_parser = gateway)]
    gateway: Option<ObjectRef>,
    /// The address of the client, which lists of networks in annotations of ingress-nginx let in or refuse.
    #[arg(long, value_name = "ADDRESS")]
    client: Option<IpAddr>,
    /// The port of the connection [default: the port of the URL]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
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
}

impl ExplainArgs {
    /// Prints the answer. The exit code is 0 if the request is answered, 1 if it is not, and 3 if the answer may depend on
    /// something that was not read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.plan.plan(&self.source.state.cluster)?;
        let scope = Scope { class: self.class, gateway: self.gateway };
        let url = match (self.url, self.record) {
            (Some(url), _) => url,
            (None, file) => return record(&file.unwrap_or_default(), &self.source, &scope, &plan),
        };
        let request = Request::parse(&self.method, &url, &self.headers, self.sni.as_deref(), self.port)?;
        let request = Request { client: self.client, ..request };
        let source = self.source.read(KINDS)?;
        let objects = source.stored();
        let world = Snapshot::new(&objects, &source.cluster, plan.config());
        let answer = world.ask(&request, &scope);
        let mut missing = source.missing(&answer, &scope, KINDS);
        missing.extend(world.undecided_for(&request, &scope));
        print_text(&match self.output {
            Output::Text => answer::text(&answer, &missing),
            Output::Json => answer_document::json(&answer, &missing),
        })?;
        for words in world.unknown_in(&scope) {
            eprintln!("portcullis: {words}");
        }
        Ok(ExitCode::from(match (missing.is_empty(), answer.is_answered()) {
            (false, _) => exit::INCOMPLETE,
            (true, true) => exit::SUCCESS,
            (true, false) => exit::FAILURE,
        }))
    }
}

/// Parses the `--gateway` argument.
pub(super) fn gateway(written: &str) -> Result<ObjectRef, String> {
    parse_namespaced_name(written).map(|(namespace, name)| ObjectRef::new(Kind::Gateway, &namespace, &name))
}
