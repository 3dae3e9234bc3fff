//! Rotation by two replicas that read, write, stop and crash at any moment, while time passes evenly or in leaps. At no moment does
//! one serve a certificate that an API server rejects, even one that has the caBundles of a minute ago; and in the end
//! everything is as in the beginning, with another authority.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Duration;

use jiff::Timestamp;
use portcullis::issuer::rotation::{
    Authorities, Authority, AuthorityCertificate, Change, Der, Entries, Key, Leaf, Lifetime, Sightings, Stored, Terms,
    View,
};
use portcullis_testing::rng::Rng;

const SCHEDULES: u64 = 200;
const STEPS: usize = 600;
const CONFIGURATIONS: usize = 2;
const SETTLE: u64 = 60;
/// No decision is based on what was read longer ago.
const LOOK_DEADLINE: u64 = 10;
const TERMS: Terms = Terms {
    authority: Duration::from_secs(10_000),
    leaf: Duration::from_secs(1_000),
    settle: Duration::from_secs(SETTLE),
};

/// What the API server stores, each with a version that every write raises.
#[derive(Default)]
struct Cluster {
    now: u64,
    secret: Option<Authorities>,
    secret_version: u64,
    bundles: [BTreeSet<Der>; CONFIGURATIONS],
    bundle_versions: [u64; CONFIGURATIONS],
    /// All caBundles of the last minute, with the time at which each was replaced.
    replaced: Vec<(u64, BTreeSet<Der>)>,
    /// When each authority expires.
    ends: Vec<u64>,
    changes: Vec<Change>,
}

/// What a replica read and means to do.
struct Look {
    now: u64,
    entries: Entries,
    bundle_versions: [u64; CONFIGURATIONS],
    decided: Option<Decided>,
}

struct Decided {
    stored: Stored,
    secret_version: u64,
    change: Option<Change>,
    publish: Vec<usize>,
}

#[derive(Default)]
struct Replica {
    remembered: Option<Authorities>,
    sightings: Sightings,
    leaf: Option<Leaf>,
    absent: Option<Duration>,
    look: Option<Look>,
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + i64::try_from(seconds).expect("a small number"))
        .expect("a time of this century")
}

impl Cluster {
    fn new_authority(&mut self, now: u64) -> Authority {
        self.ends.push(now + TERMS.authority.as_secs());
        let number = u8::try_from(self.ends.len()).expect("few authorities");
        let certificate = AuthorityCertificate { der: vec![number], life: Lifetime::new(at(now), TERMS.authority) };
        Authority { certificate, key: Key(Vec::new()) }
    }

    fn write_secret(&mut self, secret: Authorities, change: Change) {
        (self.secret, self.secret_version) = (Some(secret), self.secret_version + 1);
        self.changes.push(change);
    }

    fn write_bundle(&mut self, which: usize, bundle: BTreeSet<Der>) {
        let before = std::mem::replace(&mut self.bundles[which], bundle);
        self.replaced.push((self.now, before));
        self.bundle_versions[which] += 1;
    }

    fn pass(&mut self, seconds: u64) {
        self.now += seconds;
        let now = self.now;
        self.replaced.retain(|(at, _)| at + SETTLE > now);
    }

    /// Whether some API server rejects the leaf. A bundle of which no authority is valid rejects everything anyway.
    fn rejects(&self, leaf: &Leaf) -> bool {
        let known = self.bundles.iter().chain(self.replaced.iter().map(|(_, bundle)| bundle));
        let is_valid = |der: &Der| self.end_of(der) > self.now;
        let mut useful = known.filter(|bundle| bundle.iter().any(is_valid));
        useful.any(|bundle| !bundle.contains(&leaf.issuer))
    }

    fn end_of(&self, der: &Der) -> u64 {
        self.ends[usize::from(der[0]) - 1]
    }
}

impl Replica {
    /// One step of a look: read the entries, read the Secret and decide, or make one write.
    fn step(&mut self, cluster: &mut Cluster, leads: bool) {
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
            sightings: &self.sightings,
            leaf: self.leaf.as_ref(),
            leads,
            absent: self.absent,
            now: at(look.now),
            at: elapsed,
            terms: TERMS,
        };
        let due = view.due();
        if due.issue {
            let signer = &view.signer().expect("an authority signs").certificate;
            let whole = Lifetime::new(view.now, TERMS.leaf);
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
        let mut new = || cluster.new_authority(now);
        let after = match (change, &decided.stored) {
            (Change::Create, _) => Authorities::recreated(self.remembered.as_ref(), new(), at(now)),
            (_, Stored::Present(before)) => {
                let Ok(after) = before.clone().changed::<Infallible>(change, at(now), TERMS, || Ok(new()));
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

#[test]
fn api_servers_accept_every_served_certificate() {
    let mut changes: Vec<Change> = Vec::new();
    for seed in 0..SCHEDULES {
        let (mut cluster, mut replicas) = disturbed(seed);
        let before = cluster.changes.len();
        undisturbed(seed, &mut cluster, &mut replicas);
        let rotated = cluster.changes[before..].contains(&Change::Switch);
        assert!(rotated, "seed {seed}: no rotation in the life of an authority: {:?}", cluster.changes);
        changes.append(&mut cluster.changes);
    }
    for change in [Change::Create, Change::Replace, Change::Begin, Change::Switch, Change::Retire] {
        assert!(changes.contains(&change), "{change:?} never happened");
    }
}

/// Anything happens at any moment.
fn disturbed(seed: u64) -> (Cluster, [Replica; 2]) {
    let mut rng = Rng::new(seed);
    let (mut cluster, mut replicas) = (Cluster::default(), <[Replica; 2]>::default());
    let mut leader = 0;
    for step in 0..STEPS {
        match rng.below(200) {
            0..160 => {
                let which = rng.below(2);
                replicas[which].step(&mut cluster, which == leader);
            }
            160..186 => cluster.pass(1 + rng.below(10) as u64),
            186..192 => cluster.pass(100 + rng.below(400) as u64),
            192 => cluster.pass(3_000 + rng.below(8_000) as u64),
            193..196 => leader = rng.below(3),
            196..199 if cluster.secret.is_some() => replicas[rng.below(2)] = Replica::default(),
            199 if replicas.iter().all(|replica| cluster.secret.is_some() && replica.remembered == cluster.secret) => {
                (cluster.secret, cluster.secret_version) = (None, cluster.secret_version + 1);
            }
            _ => {}
        }
        check(&cluster, &replicas, || format!("seed {seed}, step {step}"));
    }
    (cluster, replicas)
}

/// Everything works, for longer than an authority lives.
fn undisturbed(seed: u64, cluster: &mut Cluster, replicas: &mut [Replica; 2]) {
    for tick in 0..700 {
        cluster.pass(20);
        for (which, replica) in replicas.iter_mut().enumerate() {
            replica.look = None;
            // A look has at most two reads, a change and two writes.
            (0..6).for_each(|_| replica.step(cluster, which == 0));
        }
        check(cluster, replicas, || format!("seed {seed}, tick {tick}"));
        if tick > 10 {
            let serves =
                |replica: &Replica| replica.leaf.as_ref().is_some_and(|leaf| !leaf.life.is_over(at(cluster.now)));
            assert!(replicas.iter().all(serves), "seed {seed}, tick {tick}: a certificate has expired");
            let authorities = cluster.secret.as_ref().map_or(0, |secret| secret.trusted().count());
            assert!((1..=3).contains(&authorities), "seed {seed}, tick {tick}: {authorities} authorities");
        }
    }
}

fn check(cluster: &Cluster, replicas: &[Replica; 2], when: impl Fn() -> String) {
    for leaf in replicas.iter().filter_map(|replica| replica.leaf.as_ref()) {
        let is_rejected = !leaf.life.is_over(at(cluster.now)) && cluster.rejects(leaf);
        assert!(
            !is_rejected,
            "{}: a certificate of {:?} is rejected by {:?} or {:?}\nafter {:?}",
            when(),
            leaf.issuer,
            cluster.bundles,
            cluster.replaced,
            cluster.changes
        );
    }
}

#[test]
fn a_replica_that_knows_no_authority_waits_for_those_that_do() {
    let mut cluster = Cluster::default();
    let mut newcomer = Replica::default();
    let first = cluster.new_authority(0);
    cluster.bundles[0].insert(first.certificate.der.clone());
    let change = |cluster: &mut Cluster, newcomer: &mut Replica, seconds: u64| {
        cluster.pass(seconds);
        newcomer.look = None;
        (0..2).for_each(|_| newcomer.step(cluster, true));
        let decided = newcomer.look.as_ref().and_then(|look| look.decided.as_ref());
        decided.expect("it has read everything").change
    };
    assert_eq!(change(&mut cluster, &mut newcomer, 0), None, "an entry trusts an authority that is served somewhere");
    assert_eq!(change(&mut cluster, &mut newcomer, 14), None);
    assert_eq!(change(&mut cluster, &mut newcomer, 1), Some(Change::Create), "no other replica has created it");

    let mut newcomer = Replica::default();
    cluster.bundles = Default::default();
    assert_eq!(change(&mut cluster, &mut newcomer, 0), Some(Change::Create), "a new installation");

    let mut knowing = Replica { remembered: Some(Authorities::of(first.clone())), ..Replica::default() };
    cluster.bundles[0].insert(first.certificate.der);
    assert_eq!(change(&mut cluster, &mut knowing, 0), Some(Change::Create));
}
