//! Two replicas and what the API server stores, with the pure part of the issuer in between.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Duration;

use jiff::Timestamp;
use portcullis::issuer::rotation::{
    Authorities, Authority, AuthorityCertificate, Change, Der, Entries, Key, Leaf, Lifetime, RotationSettings,
    Sightings, Stored, View,
};

const CONFIGURATIONS: usize = 2;
/// No decision is based on what was read longer ago.
const LOOK_DEADLINE: u64 = 10;

/// What the API server stores, each with a version that every write raises.
pub struct Cluster {
    pub now: u64,
    /// How far the caBundles that an API server uses are behind at most.
    lag: u64,
    /// When something was written for the last time.
    pub written: u64,
    pub secret: Option<Authorities>,
    pub secret_version: u64,
    pub bundles: [BTreeSet<Der>; CONFIGURATIONS],
    bundle_versions: [u64; CONFIGURATIONS],
    /// All caBundles that an API server may still use, with the time at which each was replaced.
    pub replaced: Vec<(u64, BTreeSet<Der>)>,
    /// When each authority expires.
    ends: Vec<u64>,
    /// The authorities that have signed, or may have.
    signers: BTreeSet<Der>,
    pub changes: Vec<Change>,
}

/// What a replica read and means to do.
pub struct Look {
    now: u64,
    entries: Entries,
    bundle_versions: [u64; CONFIGURATIONS],
    pub decided: Option<Decided>,
}

pub struct Decided {
    stored: Stored,
    secret_version: u64,
    pub change: Option<Change>,
    publish: Vec<usize>,
}

pub struct Replica {
    terms: RotationSettings,
    pub remembered: Option<Authorities>,
    sightings: Sightings,
    pub leaf: Option<Leaf>,
    absent: Option<Duration>,
    pub look: Option<Look>,
}

pub fn at(seconds: u64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + i64::try_from(seconds).expect("a small number"))
        .expect("a time of this century")
}

impl Cluster {
    pub fn new(lag: u64) -> Self {
        Self {
            now: 0,
            lag,
            written: 0,
            secret: None,
            secret_version: 0,
            bundles: Default::default(),
            bundle_versions: Default::default(),
            replaced: Vec::new(),
            ends: Vec::new(),
            signers: BTreeSet::new(),
            changes: Vec::new(),
        }
    }

    pub fn new_authority(&mut self, now: u64, life: Duration) -> Authority {
        self.ends.push(now + life.as_secs());
        let number = u8::try_from(self.ends.len()).expect("few authorities");
        let certificate = AuthorityCertificate { der: vec![number], life: Lifetime::new(at(now), life) };
        Authority { certificate, key: Key(Vec::new()) }
    }

    fn write_secret(&mut self, secret: Authorities, change: Change) {
        self.signers.insert(secret.current.certificate.der.clone());
        (self.secret, self.secret_version) = (Some(secret), self.secret_version + 1);
        self.changes.push(change);
        self.written = self.now;
    }

    fn write_bundle(&mut self, which: usize, bundle: BTreeSet<Der>) {
        let before = std::mem::replace(&mut self.bundles[which], bundle);
        self.replaced.push((self.now, before));
        self.bundle_versions[which] += 1;
        self.written = self.now;
    }

    pub fn pass(&mut self, seconds: u64) {
        self.now += seconds;
        let (now, lag) = (self.now, self.lag);
        self.replaced.retain(|(at, _)| at + lag > now);
    }

    /// Whether some API server rejects the leaf. A bundle of which no authority is valid and has signed rejects everything anyway, and one of
    /// which no authority lives for as long as the bundle is out of date already would soon.
    pub fn rejects(&self, leaf: &Leaf) -> bool {
        let present = self.bundles.iter().map(|bundle| (self.now, bundle));
        let known = present.chain(self.replaced.iter().map(|(at, bundle)| (*at, bundle)));
        let lives = |der: &Der, behind: u64| self.end_of(der) > self.now + behind && self.signers.contains(der);
        let mut useful = known.filter(|(at, bundle)| bundle.iter().any(|der| lives(der, self.now - at)));
        useful.any(|(_, bundle)| !bundle.contains(&leaf.issuer))
    }

    fn end_of(&self, der: &Der) -> u64 {
        self.ends[usize::from(der[0]) - 1]
    }
}

impl Replica {
    pub fn new(terms: RotationSettings) -> Self {
        Self { terms, remembered: None, sightings: Sightings::default(), leaf: None, absent: None, look: None }
    }

    /// Whether it serves a certificate that is valid.
    pub fn serves(&self, now: u64) -> bool {
        self.leaf.as_ref().is_some_and(|leaf| !leaf.life.is_over(at(now)))
    }

    /// Everything that is due now. A look has at most two reads, a change and two writes.
    pub fn look(&mut self, cluster: &mut Cluster, leads: bool) {
        self.look = None;
        (0..6).for_each(|_| self.step(cluster, leads));
    }

    /// One step of a look: read the entries, read the Secret and decide, or make one write.
    pub fn step(&mut self, cluster: &mut Cluster, leads: bool) {
        match self.look.take() {
            None => {
                let (entries, bundle_versions) = (cluster.bundles.to_vec(), cluster.bundle_versions);
                self.look = Some(Look { now: cluster.now, entries, bundle_versions, decided: None });
            }
            Some(look) if look.decided.is_none() => {
                if cluster.now <= look.now + LOOK_DEADLINE {
                    self.look = Some(self.decide(cluster, look, leads));
                }
            }
            Some(mut look) => {
                let Some(decided) = &mut look.decided else { return };
                match (decided.change.take(), decided.publish.pop()) {
                    (Some(change), which) => {
                        decided.publish.extend(which);
                        // The holder of the Lease writes nothing after its deadline.
                        if cluster.now <= look.now + LOOK_DEADLINE && (leads || change == Change::Create) {
                            self.change(cluster, look.now, decided, change);
                        }
                    }
                    (None, Some(which)) => {
                        if cluster.bundle_versions[which] == look.bundle_versions[which] {
                            cluster.write_bundle(which, trusted(&decided.stored));
                        }
                    }
                    (None, None) => return,
                }
                self.look = Some(look);
            }
        }
    }

    fn decide(&mut self, cluster: &Cluster, mut look: Look, leads: bool) -> Look {
        let stored = cluster.secret.clone().map_or(Stored::Absent, Stored::Present);
        let elapsed = Duration::from_secs(look.now);
        self.absent = (stored == Stored::Absent).then(|| self.absent.unwrap_or(elapsed));
        if let Stored::Present(authorities) = &stored {
            self.remembered = Some(authorities.clone());
            self.sightings.update(&look.entries, authorities, elapsed);
        }
        let view = View {
            stored: &stored,
            remembered: self.remembered.as_ref(),
            entries: Some(&look.entries),
            readable: &look.entries,
            sightings: &self.sightings,
            leaf: self.leaf.as_ref(),
            leads,
            absent: self.absent,
            now: at(look.now),
            at: elapsed,
            terms: self.terms,
        };
        let due = view.due();
        if due.issue {
            let signer = &view.signer().expect("an authority signs").certificate;
            let whole = Lifetime::new(view.now, self.terms.leaf);
            let life = Lifetime { until: whole.until.min(signer.life.until), ..whole };
            self.leaf = Some(Leaf { issuer: signer.der.clone(), life });
        }
        let publish = if due.publish { (0..CONFIGURATIONS).collect() } else { Vec::new() };
        let secret_version = cluster.secret_version;
        look.decided = Some(Decided { stored, secret_version, change: due.change, publish });
        look
    }

    fn change(&self, cluster: &mut Cluster, now: u64, decided: &Decided, change: Change) {
        if cluster.secret_version != decided.secret_version {
            return;
        }
        let mut new = || cluster.new_authority(now, self.terms.authority);
        let after = match (change, &decided.stored) {
            (Change::Create, _) => Authorities::recreated(self.remembered.as_ref(), new(), at(now), self.terms),
            (_, Stored::Present(before)) => {
                let Ok(after) = before.clone().changed::<Infallible>(change, at(now), self.terms, || Ok(new()));
                after
            }
            _ => panic!("{change:?} of what is not there"),
        };
        cluster.write_secret(after, change);
    }
}

fn trusted(stored: &Stored) -> BTreeSet<Der> {
    let Stored::Present(authorities) = stored else { return BTreeSet::new() };
    authorities.trusted().map(|authority| authority.der.clone()).collect()
}
