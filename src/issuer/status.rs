//! What an operator should know of the issuer: in the log once per change, and in `/readyz`.

use std::collections::BTreeMap;

use super::rotation::{Entries, Leaf};
use crate::request::RequestError;
use crate::telemetry::LastFailure;

/// What went wrong last, by object, and what the entries accept.
#[derive(Debug, Default)]
pub struct Status {
    reading: BTreeMap<&'static str, LastFailure>,
    writing: BTreeMap<&'static str, LastFailure>,
    published: Published,
}

/// Whether the API server accepts the certificate that is served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Published {
    /// The webhook configurations could not be read.
    #[default]
    Unknown,
    /// No entry calls the Service.
    NoEntry,
    /// Some entries have no caBundle.
    Empty,
    /// Every entry accepts it.
    Accepted,
    /// An entry has a caBundle that does not accept it.
    Rejected,
}

impl Status {
    /// Records how reading an object went; `unusable` says what is wrong with its content.
    pub fn read(&mut self, kind: &'static str, name: &str, error: Option<&RequestError>, unusable: Option<&str>) {
        let failed = error.map(|error| format!("{kind} {name} cannot be read: {error}"));
        let unusable = unusable.map(|why| {
            format!("{kind} {name} is not usable ({why}); delete it, and it is created again with a new authority")
        });
        note(&mut self.reading, kind, failed.or(unusable));
    }

    /// Records that nothing is to be written to an object: another writer, or a write whose answer was lost, has done it.
    pub fn needs_no_write(&mut self, kind: &'static str) {
        note(&mut self.writing, kind, None);
    }

    /// Records how writing an object went. A conflict is not a failure: another replica has written.
    pub fn written(&mut self, kind: &'static str, name: &str, result: &Result<(), RequestError>) {
        match result {
            Ok(()) | Err(RequestError::Conflict) => note(&mut self.writing, kind, None),
            Err(error) => note(&mut self.writing, kind, Some(format!("{kind} {name} cannot be written: {error}"))),
        }
    }

    /// Records what the entries accept.
    pub fn entries(&mut self, entries: Option<&Entries>, leaf: Option<&Leaf>) {
        self.published = match (entries, leaf) {
            (None, _) | (_, None) => Published::Unknown,
            (Some(entries), _) if entries.is_empty() => Published::NoEntry,
            (Some(entries), Some(leaf)) => {
                let rejects = |entry: &&std::collections::BTreeSet<_>| !entry.contains(&leaf.issuer);
                let rejecting: Vec<_> = entries.iter().filter(rejects).collect();
                match (rejecting.is_empty(), rejecting.iter().all(|entry| entry.is_empty())) {
                    (true, _) => Published::Accepted,
                    (false, true) => Published::Empty,
                    (false, false) => Published::Rejected,
                }
            }
        };
    }

    /// The health of the certificate, given that of what is served by itself: `Err` if the API server cannot accept it.
    pub fn judge(&self, served: Result<Option<String>, String>) -> Result<Option<String>, String> {
        let failures = self.reading.values().chain(self.writing.values()).filter_map(LastFailure::current);
        let mut words: Vec<String> = failures.map(str::to_owned).collect();
        let join = |words: Vec<String>| (!words.is_empty()).then(|| words.join("; "));
        match self.published {
            Published::NoEntry => words.insert(0, NO_ENTRY.to_owned()),
            Published::Empty => words.insert(0, EMPTY.to_owned()),
            Published::Rejected => {
                words.insert(0, REJECTED.to_owned());
                return Err(words.join("; "));
            }
            Published::Unknown | Published::Accepted => {}
        }
        match served {
            Ok(also) => {
                words.extend(also);
                Ok(join(words))
            }
            Err(why) => {
                words.insert(0, why);
                Err(words.join("; "))
            }
        }
    }
}

const NO_ENTRY: &str =
    "no webhook configuration calls this Service, so nothing is checked (see --webhook-configurations and --service)";
const EMPTY: &str = "the caBundle of a webhook entry is empty, so the API server does not trust this certificate yet";
const REJECTED: &str =
    "the caBundle of a webhook entry does not accept this certificate; `portcullis disarm` stops enforcement";

/// Records why the object cannot be kept up to date, and logs a new reason and the end of one.
fn note(failures: &mut BTreeMap<&'static str, LastFailure>, kind: &'static str, failure: Option<String>) {
    let last = failures.entry(kind).or_default();
    match failure {
        Some(failure) => {
            if last.record(&failure) {
                tracing::warn!(error = failure, "certificates cannot be kept up to date");
            }
        }
        None => {
            if last.clear() {
                tracing::info!(kind, "certificates can be kept up to date again");
            }
        }
    }
}
