//! Claims that were reserved for objects which never appeared. The same namespace cannot reserve them again for a minute, so that
//! writes of which nothing comes cannot keep a host from others.

use std::collections::{HashMap, VecDeque};

use jiff::{SignedDuration, Timestamp};

/// How long a claim is not reserved again.
const BARRED: SignedDuration = SignedDuration::from_secs(60);
/// How many claims are remembered; the oldest go first.
const MAX_CLAIMS: usize = 1 << 14;

/// A namespace and a host.
type Key = (Box<str>, Box<str>);

/// Namespaces and the hosts that they reserved in vain.
#[derive(Debug, Default)]
pub struct UnseenClaims {
    until: HashMap<Key, Timestamp>,
    /// The same, the oldest first; those that were forgotten meanwhile are skipped.
    order: VecDeque<(Key, Timestamp)>,
}

impl UnseenClaims {
    /// Notes that the object for which `namespace` reserved `host` had not appeared at `since`.
    pub fn add(&mut self, namespace: &str, host: &str, since: Timestamp) {
        while self.order.len() >= MAX_CLAIMS {
            self.remove_oldest();
        }
        let (key, until) = (key(namespace, host), since.saturating_add(BARRED).unwrap_or(since));
        self.until.insert(key.clone(), until);
        self.order.push_back((key, until));
    }

    /// Whether `namespace` reserved `host` in vain within the last minute.
    pub fn holds(&self, namespace: &str, host: &str) -> bool {
        !self.until.is_empty() && self.until.contains_key(&key(namespace, host))
    }

    /// Forgets a claim whose object appeared after all.
    pub fn forget(&mut self, namespace: &str, host: &str) {
        if !self.until.is_empty() {
            self.until.remove(&key(namespace, host));
        }
    }

    /// Forgets what is over.
    pub fn expire(&mut self, now: Timestamp) {
        while self.order.front().is_some_and(|(_, until)| *until <= now) {
            self.remove_oldest();
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.until.is_empty()
    }

    fn remove_oldest(&mut self) {
        if let Some((key, until)) = self.order.pop_front()
            && self.until.get(&key) == Some(&until)
        {
            self.until.remove(&key);
        }
    }
}

fn key(namespace: &str, host: &str) -> Key {
    (namespace.into(), host.into())
}
