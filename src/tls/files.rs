//! A serving certificate in two files that another program renews.
//!
//! The files are polled and compared by content. The kubelet renews a mounted Secret by swapping a symlink above the
//! files, and a file watch would notice only the first swap.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::{CertificateSource, KeyPairFiles, Pair, ServerCertificate, TlsError};

/// The certificate and key in two files, which are read again in every interval.
pub struct Files {
    certificate: PathBuf,
    key: PathBuf,
    interval: Duration,
    current: Arc<ServerCertificate>,
    first: KeyPairFiles,
}

/// The result of the last read: the contents, or the error message.
type Seen = Result<KeyPairFiles, String>;

impl Files {
    /// The default interval. It is short enough for any rotation, and reading two small files costs almost nothing.
    pub const INTERVAL: Duration = Duration::from_secs(10);

    /// Reads both files for the first time. Only here is an invalid pair an error.
    pub async fn open(certificate: PathBuf, key: PathBuf, interval: Duration) -> Result<Self, TlsError> {
        let first = KeyPairFiles::read(&certificate, &key).await?;
        let current = Arc::new(ServerCertificate::new(Pair::parse(&first, &certificate, &key)?));
        Ok(Self { certificate, key, interval, current, first })
    }

    /// Keeps the certificate up to date. Never returns. An invalid new pair is logged once, and the previous pair stays
    /// in use.
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

impl CertificateSource for Files {
    fn certificate(&self) -> Arc<ServerCertificate> {
        self.current.clone()
    }

    fn healthy(&self, now: Timestamp) -> Result<Option<String>, String> {
        self.current.healthy(now)
    }
}
