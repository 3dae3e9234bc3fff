//! `portcullis certs`: a development authority and a serving certificate, as files.

use std::path::PathBuf;

use clap::Args;

use super::say;
use crate::tls::authority;

/// Make a development authority and a serving certificate, or reuse those that are there.
#[derive(Debug, Args)]
pub struct Certs {
    /// The folder of the certificates, made if missing.
    #[arg(long, value_name = "DIR", default_value = "certs")]
    out: PathBuf,
    /// A name that clients call the server by, beside `localhost`; may be given several times.
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
    /// Also make a client certificate with this common name, for an API server that must show one (--client-ca of serve).
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
}

impl Certs {
    /// Makes what is missing and prints where everything is.
    pub fn run(self) -> anyhow::Result<()> {
        let paths = authority::ensure(&self.out, &self.names)?;
        let lines = [
            ("what clients must trust", &paths.ca_certificate),
            ("the authority's key", &paths.ca_key),
            ("the serving certificate", &paths.certificate),
            ("its key", &paths.key),
        ];
        let mut lines = Vec::from(lines.map(|(what, path)| (what, path.clone())));
        if let Some(name) = &self.client {
            let client = authority::issue_client(&self.out, name)?;
            lines.extend([("the client certificate", client.certificate), ("its key", client.key)]);
        }
        let lines: String = lines.iter().map(|(what, path)| format!("{what:<24} {}\n", path.display())).collect();
        say(&lines)
    }
}
