//! Claims that were reserved for objects that never appeared. The same namespace cannot reserve them again for a
//! minute, so that writes that are never stored cannot block a host for other namespaces.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// How long a claim cannot be reserved again.
const BARRED: Duration = Duration::from_secs(60);
/// The maximum number of remembered claims. The oldest are dropped first.
const MAX_CLAIMS: usize = 1 << 14;

/// A namespace and a host.
type Key = (Box<str>, Box<str>);

/// Namespaces and the hosts that they reserved for objects that never appeared.
#[derive(Debug, Default)]
pub struct UnseenClaims {
    until: HashMap<Key, Duration>,
    /// The same claims, the oldest first. Entries that `until` no longer contains are skipped.
    order: VecDeque<(Key, Duration)>,
}

impl UnseenClaims {
    /// Records that the object for which `namespace` reserved `host` had not appeared at `since`.
    pub fn add(&mut self, namespace: &str, host: &str, since: Duration) {
        while self.order.len() >= MAX_CLAIMS {
            self.remove_oldest();
        }
        let (key, until) = (key(namespace, host), since + BARRED);
        self.until.insert(key.clone(), until);
        self.order.push_back((key, until));
    }

    /// Whether `namespace` reserved `host` within the last minute for an object that did not appear.
    pub fn holds(&self, namespace: &str, host: &str) -> bool {
        !self.until.is_empty() && self.until.contains_key(&key(namespace, host))
    }

    /// Removes a claim whose object has appeared.
    pub fn forget(&mut self, namespace: &str, host: &str) {
        if !self.until.is_empty() {
            self.until.remove(&key(namespace, host));
        }
    }

    /// Removes the claims whose minute is over.
    pub fn expire(&mut self, now: Duration) {
        while self.order.front().is_some_and(|(_, until)| *until <= now) {
            self.remove_oldest();
        }
    }

    /// Whether no claim is remembered.
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
