//! Which Secrets and ConfigMaps are read, and when: those to which objects with a status refer, at once, and again and again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use portcullis_core::cluster::{Event, ReadFailure, ReadKey, ReadObject};
use portcullis_core::config::StatusConfig;

/// The maximum number of objects that are read, so that each is read again in time at the rate of reads.
const MAX_REFERENCES: usize = 10_000;
/// The maximum number of them in one namespace, so that no namespace keeps those of others from being read.
const MAX_OF_NAMESPACE: usize = 2_000;
/// After how long a usable object is read again.
const INTERVAL: Duration = Duration::from_secs(600);
/// After how long an object that is not usable is read again for the first time. The delay doubles each time, up to the interval.
const FIRST_DELAY: Duration = Duration::from_secs(5);
/// After how many reads without an answer an object that was never read counts as unreadable.
const FAILED_AFTER: u32 = 4;

/// The objects that are read.
#[derive(Debug, Default)]
pub struct References {
    objects: BTreeMap<Arc<ReadKey>, Reference>,
    /// The objects that are to be read, by time.
    queue: BTreeSet<(Instant, Arc<ReadKey>)>,
    /// Of which kinds objects are read: Secrets, ConfigMaps.
    kinds: (bool, bool),
    is_forbidden_logged: bool,
}

#[derive(Debug, Default)]
struct Reference {
    /// When it is read next; `None` while a read is under way, or beyond a limit.
    due: Option<Instant>,
    /// Whether it is among those that are read.
    is_within_limit: bool,
    /// Whether anything is known of it.
    is_known: bool,
    /// How many reads in a row did not find a usable object.
    attempts: u32,
}

impl References {
    /// Whether objects of other kinds are to be read now.
    pub fn has_other_kinds(&self, config: &StatusConfig) -> bool {
        self.kinds != (config.read_secrets, config.read_config_maps)
    }

    /// Reads exactly these objects from now on, as far as the configuration and the limits say. Returns what changes in the view.
    pub fn set(&mut self, all: &BTreeSet<Arc<ReadKey>>, config: &StatusConfig, now: Instant) -> Vec<Event> {
        self.kinds = (config.read_secrets, config.read_config_maps);
        let kinds = self.kinds;
        let is_read = |key: &ReadKey| match key {
            ReadKey::Secret(_) => kinds.0,
            ReadKey::ConfigMap(_) => kinds.1,
            _ => false,
        };
        let mut events = self.retain(|key| all.contains(key) && is_read(key));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut total = 0;
        for key in all.iter().filter(|key| self.objects.get(*key).is_some_and(|known| known.is_within_limit)) {
            *counts.entry(namespace_of(key)).or_default() += 1;
            total += 1;
        }
        for key in all.iter().filter(|key| is_read(key)) {
            let (known, count) = (self.objects.get(key), counts.entry(namespace_of(key)).or_default());
            let is_new = known.is_none();
            if known.is_some_and(|known| known.is_within_limit) {
                continue;
            }
            if total < MAX_REFERENCES && *count < MAX_OF_NAMESPACE {
                *count += 1;
                total += 1;
                let known = Reference { due: Some(now), is_within_limit: true, ..Reference::default() };
                self.objects.insert(Arc::clone(key), known);
                self.queue.insert((now, Arc::clone(key)));
            } else if is_new {
                self.objects.insert(Arc::clone(key), Reference { is_known: true, ..Reference::default() });
                events.push(event(key, Some(ReadObject::Unreadable(ReadFailure::OverLimit))));
            }
        }
        events
    }

    /// Reads nothing more. Returns what changes in the view.
    pub fn clear(&mut self) -> Vec<Event> {
        (self.kinds, self.is_forbidden_logged) = ((false, false), false);
        self.retain(|_| false)
    }

    fn retain(&mut self, stays: impl Fn(&Arc<ReadKey>) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        let queue = &mut self.queue;
        self.objects.retain(|key, known| {
            let stays = stays(key);
            if !stays {
                events.push(event(key, None));
                if let Some(due) = known.due {
                    queue.remove(&(due, Arc::clone(key)));
                }
            }
            stays
        });
        events
    }

    /// Whether an object will be read that never was, so that a status that depends on it should wait.
    pub fn awaits(&self, key: &ReadKey) -> bool {
        self.objects.get(key).is_some_and(|known| !known.is_known)
    }

    /// When the next object is to be read.
    pub fn next_due(&self) -> Option<Instant> {
        self.queue.first().map(|(due, _)| *due)
    }

    /// Takes the next object that is to be read. Its read must be [ended](Self::end).
    pub fn take(&mut self) -> Option<Arc<ReadKey>> {
        let (_, key) = self.queue.pop_first()?;
        if let Some(known) = self.objects.get_mut(&key) {
            known.due = None;
        }
        Some(key)
    }

    /// Takes in how a read ended, `None` without an answer about the object. Returns what changes in the view. Without an answer, what
    /// was known stays.
    pub fn end(&mut self, key: &Arc<ReadKey>, read: Option<ReadObject>, now: Instant) -> Option<Event> {
        let known = self.objects.get_mut(key).filter(|known| known.is_within_limit)?;
        let is_usable = matches!(&read, Some(ReadObject::Found(facts)) if facts.are_usable());
        let doubled = FIRST_DELAY.saturating_mul(2_u32.saturating_pow(known.attempts.min(20)));
        let due = now + if is_usable { INTERVAL } else { doubled.min(INTERVAL) };
        known.attempts = if is_usable { 0 } else { known.attempts.saturating_add(1) };
        if let Some(before) = known.due.replace(due) {
            self.queue.remove(&(before, Arc::clone(key)));
        }
        self.queue.insert((due, Arc::clone(key)));
        if read.is_none() && (known.is_known || known.attempts < FAILED_AFTER) {
            return None;
        }
        known.is_known = true;
        let is_forbidden = read == Some(ReadObject::Unreadable(ReadFailure::Forbidden));
        if is_forbidden && !std::mem::replace(&mut self.is_forbidden_logged, true) {
            tracing::warn!(
                object = ?key,
                "this object may not be read (RBAC), and perhaps others; what depends on it is Unknown, and it is read again and again"
            );
        }
        Some(event(key, read.or(Some(ReadObject::Unreadable(ReadFailure::Failed)))))
    }
}

fn namespace_of(key: &ReadKey) -> &str {
    key.named().map_or("", |(namespace, _)| namespace)
}

fn event(key: &Arc<ReadKey>, read: Option<ReadObject>) -> Event {
    Event::Read((**key).clone(), read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_core::cluster::secret_facts::TLS;
    use portcullis_core::cluster::{DataEntry, ReadFacts, SecretFacts};

    fn secret(namespace: &str, name: &str) -> Arc<ReadKey> {
        Arc::new(ReadKey::Secret((namespace.into(), name.into())))
    }

    fn config() -> StatusConfig {
        StatusConfig { read_secrets: true, ..StatusConfig::default() }
    }

    fn usable() -> ReadObject {
        ReadObject::Found(ReadFacts::Secret(SecretFacts {
            kind: TLS.into(),
            certificate: DataEntry::Read(Box::default()),
            key: DataEntry::Read(()),
            authority: DataEntry::Missing,
        }))
    }

    #[test]
    fn an_object_is_read_at_once_and_again() {
        let (now, key) = (Instant::now(), secret("web", "cert"));
        let mut references = References::default();
        let all = BTreeSet::from([Arc::clone(&key), Arc::new(ReadKey::ConfigMap(("web".into(), "ca".into())))]);
        assert!(references.has_other_kinds(&config()));
        assert_eq!(references.set(&all, &config(), now), []);
        assert!(references.awaits(&key) && !references.has_other_kinds(&config()));
        assert_eq!((references.take(), references.take()), (Some(Arc::clone(&key)), None), "ConfigMaps are off");
        let event = |read: ReadObject| Some(Event::Read((*key).clone(), Some(read)));
        assert_eq!(references.end(&key, Some(usable()), now), event(usable()));
        assert!(!references.awaits(&key));
        assert_eq!(references.next_due(), Some(now + INTERVAL));
        for seconds in [5, 10, 20] {
            assert_eq!(references.take(), Some(Arc::clone(&key)));
            assert_eq!(references.end(&key, Some(ReadObject::Absent), now), event(ReadObject::Absent));
            assert_eq!(references.next_due(), Some(now + Duration::from_secs(seconds)));
        }
        let forgotten = vec![Event::Read((*key).clone(), None)];
        assert_eq!(references.set(&BTreeSet::new(), &config(), now), forgotten);
        assert_eq!((references.next_due(), references.end(&key, Some(usable()), now)), (None, None));
    }

    #[test]
    fn without_an_answer_what_was_known_stays() {
        let (now, key) = (Instant::now(), secret("web", "cert"));
        let mut references = References::default();
        references.set(&BTreeSet::from([Arc::clone(&key)]), &config(), now);
        let failed = Some(Event::Read((*key).clone(), Some(ReadObject::Unreadable(ReadFailure::Failed))));
        let ended: Vec<_> = (0..4).map(|_| references.end(&key, None, now)).collect();
        assert_eq!(ended, [None, None, None, failed], "it was never read");
        assert!(references.end(&key, Some(usable()), now).is_some());
        assert!((0..9).all(|_| references.end(&key, None, now).is_none()));
        assert!(!references.awaits(&key));
        assert_eq!(references.clear(), [Event::Read((*key).clone(), None)]);
        assert!(references.has_other_kinds(&config()), "all of them are read by the next leader");
    }

    #[test]
    fn beyond_the_limit_of_a_namespace_nothing_is_read() {
        let now = Instant::now();
        let mut references = References::default();
        let mut all: BTreeSet<_> = (0..=MAX_OF_NAMESPACE).map(|number| secret("a", &format!("{number:05}"))).collect();
        all.insert(secret("web", "cert"));
        let last = secret("a", &format!("{MAX_OF_NAMESPACE:05}"));
        let over = Event::Read((*last).clone(), Some(ReadObject::Unreadable(ReadFailure::OverLimit)));
        assert_eq!(references.set(&all, &config(), now), [over]);
        assert!(references.awaits(&secret("web", "cert")) && !references.awaits(&last));
        assert_eq!(references.queue.len(), MAX_OF_NAMESPACE + 1);
        // Where there is room again, the rest is read.
        all.pop_first();
        references.set(&all, &config(), now);
        assert!(references.awaits(&last));
        let many: BTreeSet<_> =
            (0..=MAX_REFERENCES).map(|number| secret(&format!("{:02}", number / 1_000), &number.to_string())).collect();
        assert_eq!(references.set(&many, &config(), now).len(), all.len() + 1);
        assert_eq!(references.queue.len(), MAX_REFERENCES);
    }
}
