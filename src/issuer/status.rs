//! What an operator should know of the issuer: in the log once per change, and in `/readyz`.

use std::collections::BTreeMap;

use super::bundle::EntryBundle;
use super::rotation::Leaf;
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
    /// Some entries have a caBundle that does not accept it, but none with `Fail`, and another entry accepts it.
    InPart,
    /// An entry with `Fail` has a caBundle that does not accept it, or no entry accepts it and one has a caBundle.
    Rejected,
}

impl Published {
    fn of(entries: &[&EntryBundle], leaf: &Leaf) -> Self {
        let accepts = |entry: &&EntryBundle| entry.certificates.contains(&leaf.issuer);
        let rejects = |entry: &&EntryBundle| !entry.certificates.is_empty() && !accepts(entry);
        if entries.is_empty() {
            Self::NoEntry
        } else if entries.iter().all(accepts) {
            Self::Accepted
        } else if !entries.iter().any(rejects) {
            Self::Empty
        } else if entries.iter().any(|entry| entry.is_enforced && rejects(entry)) || !entries.iter().any(accepts) {
            Self::Rejected
        } else {
            Self::InPart
        }
    }
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

    /// Records what the entries accept, if all could be read.
    pub fn entries(&mut self, entries: Option<&[&EntryBundle]>, leaf: Option<&Leaf>) {
        self.published = match (entries, leaf) {
            (None, _) | (_, None) => Published::Unknown,
            (Some(entries), Some(leaf)) => Published::of(entries, leaf),
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
            Published::InPart => words.insert(0, IN_PART.to_owned()),
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
const IN_PART: &str = "the caBundle of a webhook entry with `failurePolicy: Ignore` does not accept this certificate, so the kinds of \
                       that entry are not checked";
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use jiff::Timestamp;

    use super::*;
    use crate::issuer::rotation::Lifetime;

    /// The bundles of entries: `o` accepts the certificate, `x` does not, `-` has none; capital letters are entries with `Fail`.
    #[test]
    fn only_an_entry_that_denies_writes_makes_a_replica_unready() {
        let life = Lifetime { from: Timestamp::UNIX_EPOCH, until: Timestamp::UNIX_EPOCH + Duration::from_secs(60) };
        let leaf = Leaf { issuer: vec![1], life };
        let bundle = |(position, letter): (usize, char)| EntryBundle {
            position,
            certificates: match letter.to_ascii_lowercase() {
                'o' => BTreeSet::from([vec![1], vec![2]]),
                'x' => BTreeSet::from([vec![2]]),
                _ => BTreeSet::new(),
            },
            is_enforced: letter.is_ascii_uppercase(),
        };
        for (entries, expected) in [
            ("", Published::NoEntry),
            ("Ooo", Published::Accepted),
            ("O-o", Published::Empty),
            ("---", Published::Empty),
            ("Oox", Published::InPart),
            ("Ox-", Published::InPart),
            ("Xoo", Published::Rejected),
            ("xx-", Published::Rejected),
            ("xxx", Published::Rejected),
        ] {
            let bundles: Vec<EntryBundle> = entries.chars().enumerate().map(bundle).collect();
            let published = Published::of(&bundles.iter().collect::<Vec<_>>(), &leaf);
            assert_eq!(published, expected, "{entries}");
        }
    }
}
