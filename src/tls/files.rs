//! A certificate from two files that somebody else renews.
//!
//! The files are polled and compared by content. The kubelet renews a mounted Secret by swapping a symlink above it,
//! which no watch on the files themselves would see twice.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::{KeyPairFiles, Pair, ServerCertificate, TlsError};

/// The certificate in `certificate` with the key in `key`, looked at again in every interval.
pub struct Files {
    certificate: PathBuf,
    key: PathBuf,
    interval: Duration,
    current: Arc<ServerCertificate>,
    first: KeyPairFiles,
}

/// What the last look has found: content, or why there was none.
type Seen = Result<KeyPairFiles, String>;

impl Files {
    /// How often to look when nobody says otherwise: soon enough for any rotation, and two small reads cost nothing.
    pub const INTERVAL: Duration = Duration::from_secs(10);

    /// Reads both files for the first time; here, and only here, a bad pair is an error.
    pub async fn open(certificate: PathBuf, key: PathBuf, interval: Duration) -> Result<Self, TlsError> {
        let first = KeyPairFiles::read(&certificate, &key).await?;
        let current = Arc::new(ServerCertificate::new(Pair::parse(&first, &certificate, &key)?));
        Ok(Self { certificate, key, interval, current, first })
    }

    /// What to show.
    pub fn certificate(&self) -> Arc<ServerCertificate> {
        self.current.clone()
    }

    /// How the certificate is at `now`; see [`ServerCertificate::healthy`].
    pub fn healthy(&self, now: Timestamp) -> Result<Option<String>, String> {
        self.current.healthy(now)
    }

    /// Keeps the certificate up to date, for ever. A change is looked at once: a pair that cannot serve is logged once,
    /// and what served before goes on serving.
    pub async fn start(&self) {
        let mut seen = Ok(self.first.clone());
        loop {
            tokio::time::sleep(self.interval).await;
            seen = self.look(seen).await;
        }
    }

    async fn look(&self, before: Seen) -> Seen {
        let read = KeyPairFiles::read(&self.certificate, &self.key).await;
        let now = read.as_ref().map(KeyPairFiles::clone).map_err(TlsError::to_string);
        if now != before {
            self.take(read);
        }
        now
    }

    fn take(&self, read: Result<KeyPairFiles, TlsError>) {
        match read.and_then(|pem| Pair::parse(&pem, &self.certificate, &self.key)) {
            Ok(pair) => {
                tracing::info!(not_after = %pair.not_after, "certificate reloaded");
                self.current.replace(pair);
            }
            Err(error) => {
                tracing::warn!(%error, "the renewed certificate cannot be used; keeping the previous one");
                self.current.keep(&error);
            }
        }
    }
}
