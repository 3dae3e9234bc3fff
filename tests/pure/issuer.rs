//! Rotation by two replicas that read, write, stop and crash at any moment, while time passes evenly or in leaps. At no moment does
//! one serve a certificate that an API server rejects, even one that has the caBundles of a minute ago; and in the end
//! everything is as in the beginning, with another authority. The same while short lifetimes are set back to the defaults: then an
//! authority ends sooner than its successor can be published for the usual time.

mod read_only;
mod simulation;

use std::collections::BTreeSet;
use std::time::Duration;

use portcullis::issuer::rotation::{
    Authorities, Change, Entries, Leaf, Lifetime, RotationSettings, Sightings, Stored, View,
};
use portcullis_testing::rng::Rng;

use simulation::{Cluster, Replica, at};

const SCHEDULES: u64 = 200;
const STEPS: usize = 600;
const SETTLE: u64 = 60;
const TERMS: RotationSettings = RotationSettings {
    authority: Duration::from_secs(10_000),
    leaf: Duration::from_secs(1_000),
    settle: Duration::from_secs(SETTLE),
};
/// Lifetimes of a test, where no API server is far behind.
const SHORT: RotationSettings = RotationSettings {
    authority: Duration::from_secs(60),
    leaf: Duration::from_secs(12),
    settle: Duration::from_secs(3),
};
/// The issuer looks at least so often while its certificate lives for seconds.
const SHORT_INTERVAL: usize = 3;

#[test]
fn a_successor_is_due_after_two_thirds_of_a_life() {
    for (length, due) in [(30, 20), (86_400, 57_600), (1, 1), (0, 0)] {
        let life = Lifetime::new(at(1_000), Duration::from_secs(length));
        assert!(life.is_due(at(1_000 + due)), "{length} s");
        assert!(due == 0 || !life.is_due(at(1_000 + due - 1)), "{length} s");
    }
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
    let (mut cluster, mut replicas) = (Cluster::new(SETTLE), [TERMS; 2].map(Replica::new));
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
            196..199 if cluster.secret.is_some() => replicas[rng.below(2)] = Replica::new(TERMS),
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
    for tick in 0..700_u64 {
        cluster.pass(20);
        for (which, replica) in replicas.iter_mut().enumerate() {
            replica.look(cluster, which == 0);
        }
        check(cluster, replicas, || format!("seed {seed}, tick {tick}"));
        if tick > 10 {
            assert!(
                replicas.iter().all(|replica| replica.serves(cluster.now)),
                "seed {seed}, tick {tick}: a certificate has expired"
            );
        }
        // What the Secret was replaced by while it was disturbed is gone.
        if tick * 20 > TERMS.leaf.as_secs() + 10 * SETTLE {
            let authorities = cluster.secret.as_ref().map_or(0, |secret| secret.trusted().count());
            assert!((1..=3).contains(&authorities), "seed {seed}, tick {tick}: {authorities} authorities");
        }
    }
}

#[test]
fn lifetimes_that_are_set_back_leave_no_gap() {
    for seed in 0..SCHEDULES {
        let mut rng = Rng::new(seed);
        let (mut cluster, mut replicas) = (Cluster::new(SHORT.settle.as_secs()), [SHORT; 2].map(Replica::new));
        every_second(seed, 60 + rng.below(120), &mut rng, &mut cluster, &mut replicas);
        for which in 0..2 {
            replicas[which] = Replica::new(TERMS);
            replicas[which].look(&mut cluster, which == 0);
            every_second(seed, 1 + rng.below(3), &mut rng, &mut cluster, &mut replicas);
        }
        every_second(seed, 200, &mut rng, &mut cluster, &mut replicas);
        let life = cluster.secret.expect("a Secret").current.certificate.life;
        assert_eq!(life.left(life.from), TERMS.authority, "seed {seed}: {:?}", cluster.changes);
    }
}

/// Two replicas look when something has changed, and from time to time. In each second both serve a certificate that is accepted.
fn every_second(seed: u64, seconds: usize, rng: &mut Rng, cluster: &mut Cluster, replicas: &mut [Replica; 2]) {
    let mut next = [0; 2];
    for _ in 0..seconds {
        cluster.pass(1);
        let now = cluster.now;
        let is_told = cluster.written + 1 >= now;
        for (which, replica) in replicas.iter_mut().enumerate() {
            if is_told || next[which] <= now {
                replica.look(cluster, which == 0);
                next[which] = now + 1 + rng.below(SHORT_INTERVAL) as u64;
            }
        }
        assert!(replicas.iter().all(|replica| replica.serves(now)), "seed {seed}: nothing valid is served at {now}");
        check(cluster, replicas, || format!("seed {seed}, second {now}"));
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
    let mut cluster = Cluster::new(SETTLE);
    let mut newcomer = Replica::new(TERMS);
    let first = cluster.new_authority(0, TERMS.authority);
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

    let mut newcomer = Replica::new(TERMS);
    cluster.bundles = Default::default();
    assert_eq!(change(&mut cluster, &mut newcomer, 0), Some(Change::Create), "a new installation");

    let mut knowing = Replica::new(TERMS);
    knowing.remembered = Some(Authorities::of(first.clone()));
    cluster.bundles[0].insert(first.certificate.der);
    assert_eq!(change(&mut cluster, &mut knowing, 0), Some(Change::Create));
}

/// A CA whose key has leaked is replaced by deleting the Secret. The new one signs after a minute, also if the one before was replaced
/// a moment ago, or is being rotated.
#[test]
fn a_deleted_secret_is_followed_by_a_new_authority_within_minutes() {
    for deleted_after in [20, 100, 400] {
        let (mut cluster, mut replicas) = (Cluster::new(SETTLE), [TERMS; 2].map(Replica::new));
        let mut first = BTreeSet::new();
        for _ in 0..3 {
            first.extend(cluster.secret.take().iter().flat_map(Authorities::trusted).map(|known| known.der.clone()));
            cluster.secret_version += 1;
            pass(&mut cluster, &mut replicas, deleted_after);
        }
        pass(&mut cluster, &mut replicas, 2 * SETTLE);
        let signer = &cluster.secret.as_ref().expect("it was created again").current.certificate.der;
        assert!(
            !first.contains(signer),
            "deleted every {deleted_after} s: an authority of a deleted Secret still signs"
        );
        let issuers = replicas.each_ref().map(|replica| replica.leaf.as_ref().map(|leaf| &leaf.issuer));
        assert_eq!(issuers, [Some(signer); 2]);
    }
}

/// So many seconds in which both replicas look again and again, and the first one leads.
fn pass(cluster: &mut Cluster, replicas: &mut [Replica; 2], seconds: u64) {
    for _ in 0..seconds / 5 {
        cluster.pass(5);
        for (which, replica) in replicas.iter_mut().enumerate() {
            replica.look(cluster, which == 0);
        }
        check(cluster, replicas, || format!("at {} s", cluster.now));
    }
}

/// The rights to one of the two webhook configurations may be missing.
#[test]
fn a_configuration_that_cannot_be_read_does_not_stop_the_repair_of_the_other() {
    let authority = Cluster::new(SETTLE).new_authority(0, TERMS.authority);
    let (stored, good) = (Stored::Present(Authorities::of(authority.clone())), authority.certificate.der);
    for (bundle, is_repaired) in [(BTreeSet::new(), true), (BTreeSet::from([good]), false)] {
        let (readable, sightings) = (vec![bundle], Sightings::default());
        assert_eq!(view(&stored, &readable, &sightings).due().publish, is_repaired);
    }
}

/// The rights to the Secret may be missing.
#[test]
fn a_certificate_is_renewed_in_time_while_the_secret_cannot_be_read() {
    let authority = Cluster::new(SETTLE).new_authority(0, TERMS.authority);
    let known = Authorities::of(authority.clone());
    let leaf = Leaf { issuer: authority.certificate.der, life: Lifetime::new(at(0), TERMS.leaf) };
    for (now, is_renewed) in [(666, false), (667, true), (1_000, true)] {
        let (readable, sightings) = (Entries::new(), Sightings::default());
        let view = view(&Stored::Unknown, &readable, &sightings);
        let view = View { remembered: Some(&known), leaf: Some(&leaf), now: at(now), ..view };
        assert_eq!(view.due().issue, is_renewed, "at {now} s");
    }
}

/// What a replica that leads sees after ten seconds, if it cannot read every entry and serves no certificate.
fn view<'a>(stored: &'a Stored, readable: &'a Entries, sightings: &'a Sightings) -> View<'a> {
    View {
        stored,
        remembered: None,
        entries: None,
        readable,
        sightings,
        leaf: None,
        leads: true,
        absent: None,
        now: at(10),
        at: Duration::from_secs(10),
        terms: TERMS,
    }
}
