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
        let lines = lines.map(|(what, path)| format!("{what:<24} {}\n", path.display()));
        say(&lines.concat())
    }
}
