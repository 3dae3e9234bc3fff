//! What to do next about authorities, bundles and the serving certificate: a pure function of what is stored, what is
//! published, what is served, and the time.
//!
//! An authority passes through three roles. As `next` it is published in every caBundle and signs nothing. As `current`
//! it signs. As `previous` it only stays trusted, until the last certificate that it signed has expired.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;

/// A certificate in DER. It identifies an authority in the Secret, in a caBundle, and as the issuer of a leaf.
pub type Der = Vec<u8>;

/// From when until when a certificate is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// When it was issued. The certificate itself is valid a little earlier, for clients whose clock is behind.
    pub from: Timestamp,
    /// When it expires.
    pub until: Timestamp,
}

impl Lifetime {
    /// A life of this length from `now` on.
    pub fn new(now: Timestamp, length: Duration) -> Self {
        Self { from: now, until: later(now, length) }
    }

    /// Whether it has ended at `now`.
    pub fn is_over(self, now: Timestamp) -> bool {
        now >= self.until
    }

    /// How much of it is left at `now`.
    pub fn left(self, now: Timestamp) -> Duration {
        self.until.duration_since(now).try_into().unwrap_or_default()
    }

    /// Whether two thirds of it have passed at `now`, so that a successor is due.
    pub fn is_due(self, now: Timestamp) -> bool {
        let (passed, whole) = (now.duration_since(self.from), self.until.duration_since(self.from));
        passed.as_nanos() * 3 >= whole.as_nanos() * 2
    }
}

/// The certificate of an authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorityCertificate {
    /// The certificate itself.
    pub der: Der,
    /// When it is used.
    pub life: Lifetime,
}

/// A private key in PKCS #8. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(pub Vec<u8>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

/// An authority that can sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    /// Its certificate, which clients must trust.
    pub certificate: AuthorityCertificate,
    /// Its key.
    pub key: Key,
}

impl Authority {
    /// It no longer signs from `now` on, and stays trusted as long as what it signed can live.
    fn retired(self, now: Timestamp, terms: RotationSettings) -> Previous {
        let until = later(now, terms.leaf + terms.settle).min(self.certificate.life.until);
        Previous { certificate: self.certificate, until }
    }
}

/// An authority that no longer signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Previous {
    /// Its certificate.
    pub certificate: AuthorityCertificate,
    /// When the last certificate that it signed has expired.
    pub until: Timestamp,
}

/// The authorities in the Secret, by role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorities {
    /// Signs.
    pub current: Authority,
    /// Is published, and will sign.
    pub next: Option<Authority>,
    /// Have signed, and stay trusted: several after a CA was replaced twice within the life of a leaf.
    pub previous: Vec<Previous>,
}

impl Authorities {
    /// One authority, which signs.
    pub fn of(current: Authority) -> Self {
        Self { current, next: None, previous: Vec::new() }
    }

    /// What must be in every caBundle.
    pub fn trusted(&self) -> impl Iterator<Item = &AuthorityCertificate> {
        let next = self.next.iter().map(|next| &next.certificate);
        let previous = self.previous.iter().map(|previous| &previous.certificate);
        std::iter::once(&self.current.certificate).chain(next).chain(previous)
    }

    /// What replaces a Secret that is gone. A replica that remembers usable authorities has them followed by `new`, and keeps them
    /// trusted, because certificates of theirs are served. That includes a next one: it may sign already without this replica's
    /// knowledge, but its key was in the Secret, too.
    pub fn recreated(remembered: Option<&Self>, new: Authority, now: Timestamp, terms: RotationSettings) -> Self {
        let is_usable = |authority: &Authority| !authority.certificate.life.is_over(now);
        let Some(mut known) = remembered.cloned() else { return Self::of(new) };
        let next = known.next.take().filter(is_usable);
        match (is_usable(&known.current), next) {
            (true, next) => {
                known.previous.extend(next.map(|next| next.retired(now, terms)));
                known.begun(new)
            }
            // It signs in place of one that has expired.
            (false, Some(next)) => Self { current: next, ..known }.begun(new),
            (false, None) => Self::of(new),
        }
    }

    /// These authorities after a change. `generate` makes the new one of a change that needs one.
    pub fn changed<E>(
        self,
        change: Change,
        now: Timestamp,
        terms: RotationSettings,
        generate: impl FnOnce() -> Result<Authority, E>,
    ) -> Result<Self, E> {
        Ok(match change {
            Change::Create | Change::Replace => Self::of(generate()?),
            Change::Begin => self.begun(generate()?),
            Change::Switch => self.switched(now, terms),
            Change::Retire => {
                let previous = self.previous.into_iter().filter(|previous| now < previous.until).collect();
                Self { previous, ..self }
            }
        })
    }

    /// With `next` beside the current authority.
    fn begun(self, next: Authority) -> Self {
        Self { next: Some(next), ..self }
    }

    /// After the switch to the next authority; the present one stays trusted as long as what it signed can live.
    fn switched(self, now: Timestamp, terms: RotationSettings) -> Self {
        let Self { current, next: Some(next), mut previous } = self else { return self };
        previous.push(current.retired(now, terms));
        Self { current: next, next: None, previous }
    }
}

/// The lifetimes and delays that an operator can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RotationSettings {
    /// How long an authority lives.
    pub authority: Duration,
    /// How long a serving certificate lives.
    pub leaf: Duration,
    /// How long an authority must have been published before its certificates are served: every API server must have read it.
    /// Earlier only if the authority before it has less time left.
    pub settle: Duration,
}

/// What this replica knows about the Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "there is one of these at a time")]
pub enum Stored {
    /// It could not be read, or its content is not usable.
    Unknown,
    /// It does not exist, or has no content.
    Absent,
    /// Its content.
    Present(Authorities),
}

/// The certificate that this replica serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The authority that signed it.
    pub issuer: Der,
    /// When it is used.
    pub life: Lifetime,
}

/// The caBundle of each webhook entry that calls this Service.
pub type Entries = Vec<BTreeSet<Der>>;

/// Since when this replica has seen each authority in every entry, on a clock that no one sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sightings(BTreeMap<Der, Duration>);

impl Sightings {
    /// Takes in what was read at `at`. An authority that is missing from an entry starts again.
    pub fn update(&mut self, entries: &Entries, authorities: &Authorities, at: Duration) {
        let published = |der: &Der| entries.iter().all(|entry| entry.contains(der));
        let seen = authorities.trusted().map(|authority| &authority.der).filter(|der| published(der));
        self.0 = seen.map(|der| (der.clone(), self.0.get(der).copied().unwrap_or(at))).collect();
    }

    /// How long the authority has been in every entry at `at`, if it is in every entry.
    fn published_for(&self, authority: &Authority, at: Duration) -> Option<Duration> {
        self.0.get(&authority.certificate.der).map(|since| at.saturating_sub(*since))
    }
}

/// How long a replica that does not know the authorities leaves a missing Secret to the others. They look every 5 s.
const NEWCOMER: Duration = Duration::from_secs(15);

/// Everything that a decision depends on.
#[derive(Debug, Clone)]
pub struct View<'a> {
    /// The Secret. It must have been read after the entries: then an entry that is changed on its account has not been
    /// changed on account of a newer one.
    pub stored: &'a Stored,
    /// The Secret when it was last known.
    pub remembered: Option<&'a Authorities>,
    /// The entries, if all could be read.
    pub entries: Option<&'a Entries>,
    /// The entries of those configurations that could be read.
    pub readable: &'a Entries,
    /// What was seen in the entries before.
    pub sightings: &'a Sightings,
    /// What this replica serves.
    pub leaf: Option<&'a Leaf>,
    /// Whether this replica holds the Lease.
    pub leads: bool,
    /// Since when this replica has found the Secret absent, on the clock of the sightings.
    pub absent: Option<Duration>,
    /// The wall clock.
    pub now: Timestamp,
    /// The clock of the sightings.
    pub at: Duration,
    /// The settings.
    pub terms: RotationSettings,
}

/// A change of the Secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Create it; of several replicas one succeeds.
    Create,
    /// Put a new authority into the place of one that has expired.
    Replace,
    /// Put a new authority beside the current one.
    Begin,
    /// Let the next authority sign.
    Switch,
    /// Remove the previous authorities whose certificates have expired.
    Retire,
}

impl Change {
    /// The change in one word, for logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Begin => "begin",
            Self::Switch => "switch",
            Self::Retire => "retire",
        }
    }
}

/// What is to be done now. The parts do not depend on each other, so that one that fails does not stop the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Due {
    /// How to change the Secret.
    pub change: Option<Change>,
    /// Whether to write the trusted authorities into the entries that lack them.
    pub publish: bool,
    /// Whether to issue a new serving certificate.
    pub issue: bool,
}

impl Due {
    /// What remains for a process that leaves every write in the cluster to another one.
    pub const fn without_writes(self) -> Self {
        Self { change: None, publish: false, ..self }
    }
}

impl View<'_> {
    /// What is to be done now.
    pub fn due(&self) -> Due {
        Due { change: self.change(), publish: self.must_publish(), issue: self.must_issue() }
    }

    fn change(&self) -> Option<Change> {
        match self.stored {
            Stored::Absent => self.may_create().then_some(Change::Create),
            Stored::Present(authorities) if self.leads => self.rotate(authorities),
            _ => None,
        }
    }

    /// Whether this replica may create the Secret. One that does not know the authorities leaves it for a while to those that
    /// do, as long as certificates of theirs may be served: every caBundle must be known to be empty, else it waits.
    fn may_create(&self) -> bool {
        let none_is_published = || self.entries.is_some_and(|entries| entries.iter().all(BTreeSet::is_empty));
        let waited = |since: Duration| self.at.saturating_sub(since) >= NEWCOMER;
        self.remembered.is_some() || none_is_published() || self.absent.is_some_and(waited)
    }

    fn rotate(&self, Authorities { current, next, previous }: &Authorities) -> Option<Change> {
        let is_over = |authority: &Authority| authority.certificate.life.is_over(self.now);
        match next.as_ref().filter(|next| !is_over(next)) {
            // Nothing that the current authority signs is valid, so there is nothing to protect by waiting.
            Some(_) if is_over(current) => Some(Change::Switch),
            None if is_over(current) => Some(Change::Replace),
            _ if previous.iter().any(|previous| self.now >= previous.until) => Some(Change::Retire),
            // Also beside a previous one: a CA that may have leaked must not wait for the one before.
            Some(next) => self.may_succeed(next, Some(&current.certificate)).then_some(Change::Switch),
            None => current.certificate.life.is_due(self.now).then_some(Change::Begin),
        }
    }

    /// Whether certificates of `next` may be served although those of `previous` are still valid. `next` must have been
    /// published for `settle`, so that every API server has read it. If `previous` ends sooner than that, it is enough that
    /// `next` has been published for longer than `previous` still lives: waiting for the end would only leave a gap there.
    fn may_succeed(&self, next: &Authority, previous: Option<&AuthorityCertificate>) -> bool {
        let left = previous.map(|previous| previous.life.left(self.now));
        let enough = left.map_or(self.terms.settle, |left| left.min(self.terms.settle));
        let published = self.sightings.published_for(next, self.at).filter(|_| self.entries.is_some());
        published.is_some_and(|published| published >= enough)
    }

    fn must_publish(&self) -> bool {
        let Stored::Present(authorities) = self.stored else { return false };
        let trusted: BTreeSet<&Der> = authorities.trusted().map(|authority| &authority.der).collect();
        self.readable.iter().any(|entry| !entry.iter().eq(trusted.iter().copied()))
    }

    fn must_issue(&self) -> bool {
        let Some(signer) = self.signer() else { return false };
        let possible = signer.certificate.life.until.min(later(self.now, self.terms.leaf));
        let Some(leaf) = self.leaf.filter(|leaf| !leaf.life.is_over(self.now)) else {
            // Also by an authority that is only remembered: there is nothing to lose.
            return possible > self.now;
        };
        if leaf.issuer == signer.certificate.der {
            return leaf.life.is_due(self.now) && possible > leaf.life.until;
        }
        let Stored::Present(authorities) = self.stored else { return false };
        // Of another authority: the present leaf stays as long as it is accepted anywhere and the new one might not be.
        let issuer = authorities.trusted().find(|authority| authority.der == leaf.issuer);
        self.entries.is_some_and(|entries| !entries.iter().any(|entry| entry.contains(&leaf.issuer)))
            || self.may_succeed(signer, issuer)
    }

    /// The authority that signs.
    pub fn signer(&self) -> Option<&Authority> {
        match self.stored {
            Stored::Present(authorities) => Some(&authorities.current),
            _ => self.remembered.map(|known| &known.current),
        }
    }
}

/// The end of `length` from `now` on; far beyond any certificate instead of an overflow.
fn later(now: Timestamp, length: Duration) -> Timestamp {
    now.checked_add(length).unwrap_or(Timestamp::MAX)
}
