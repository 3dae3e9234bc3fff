//! Elections among three replicas over a network that delays and loses requests, with clocks of different time and speed, replicas
//! that are stopped for a while, killed or terminated. At no moment do two of them lead; and once the network works, one does.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::LeaseSpec;
use portcullis::lease::Moment;
use portcullis::lease::election::{Election, Failure, Step, StoredLease, Timing};
use portcullis_testing::rng::Rng;

const REPLICAS: usize = 3;
const SCHEDULES: u64 = 3_000;
/// In milliseconds, as all times here: when the last request is lost or delayed for long, the last replica is stopped or killed, and
/// a leader is there at the latest.
const NETWORK_WORKS: u64 = 112_000;
const QUIET: u64 = 120_000;
const LED: u64 = QUIET + 20_000;
const END: u64 = LED + 60_000;

/// What happens to a replica or at the server.
enum Event {
    Wake,
    Stop(u64),
    Kill,
    Terminate,
    /// The Lease is deleted, if every living replica knows its holder.
    Delete,
    /// The request of this number reaches the server.
    Arrive(u64, Step),
    /// Its answer reaches the replica; none where the request took too long.
    Answer(u64, Option<Result<Option<StoredLease>, Failure>>),
}

struct Replica {
    election: Election,
    /// The time of its clock at the beginning, and how many milliseconds of it pass in a thousand.
    clock: (u64, u64),
    wall: Timestamp,
    stopped_until: u64,
    is_alive: bool,
    /// What is under way: its number, whether it is a write, when it was sent, and when to give it up.
    request: Option<(u64, bool, Moment, Moment)>,
}

impl Replica {
    fn new(number: usize, rng: &mut Rng) -> Self {
        let clock = (rng.below(1_000_000) as u64, 980 + rng.below(41) as u64);
        let wall = Timestamp::from_second(1_800_000_000 + rng.below(600) as i64).expect("a time of this century");
        let start = Moment::since_start(Duration::from_millis(clock.0));
        let election = Election::new(format!("replica-{number}"), Timing::default(), start);
        Self { election, clock, wall, stopped_until: 0, is_alive: true, request: None }
    }

    fn now(&self, at: u64) -> Moment {
        Moment::since_start(Duration::from_micros(self.clock.0 * 1_000 + at * self.clock.1))
    }

    /// When its clock shows `moment`, rounded up.
    fn at(&self, moment: Moment) -> u64 {
        let since = moment - self.now(0);
        u64::try_from(since.as_micros()).expect("a short time").div_ceil(self.clock.1)
    }

    fn wall(&self, at: u64) -> Timestamp {
        self.wall + Duration::from_millis(at)
    }

    fn leads(&self, at: u64) -> bool {
        self.is_alive && self.election.deadline(self.now(at)).is_some()
    }
}

struct World {
    rng: Rng,
    at: u64,
    replicas: Vec<Replica>,
    /// By time, then in the order of scheduling.
    events: BTreeMap<(u64, u64), (usize, Event)>,
    scheduled: u64,
    stored: Option<StoredLease>,
    versions: u64,
    deletions: u64,
    /// Those that deleted Leases have counted.
    transitions: i32,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let replicas = (0..REPLICAS).map(|number| Replica::new(number, &mut rng)).collect();
        let mut world = Self {
            rng,
            at: 0,
            replicas,
            events: BTreeMap::new(),
            scheduled: 0,
            stored: None,
            versions: 0,
            deletions: 0,
            transitions: 0,
        };
        for replica in 0..REPLICAS {
            let first = world.rng.below(5_000) as u64;
            world.schedule(first, replica, Event::Wake);
        }
        for _ in 0..world.rng.below(20) {
            let (at, replica) = (world.rng.below(QUIET as usize) as u64, world.rng.below(REPLICAS));
            let length = world.rng.below(40_000) as u64;
            world.schedule(at, replica, Event::Stop(length.min(QUIET - at)));
        }
        // At most once: what a replica saw before the first deletion says nothing about a holder between two of them.
        if world.rng.one_in(2) {
            let at = world.rng.below(QUIET as usize) as u64;
            world.schedule(at, 0, Event::Delete);
        }
        // One replica lives to the end.
        for replica in 0..world.rng.below(REPLICAS) {
            let at = world.rng.below(QUIET as usize) as u64;
            let end = if world.rng.one_in(2) { Event::Kill } else { Event::Terminate };
            world.schedule(at, replica, end);
        }
        world
    }

    fn schedule(&mut self, at: u64, replica: usize, event: Event) {
        self.scheduled += 1;
        self.events.insert((at, self.scheduled), (replica, event));
    }

    /// How long one way takes; none if what is sent is lost.
    fn delay(&mut self) -> Option<u64> {
        let quick = 1 + self.rng.below(150) as u64;
        if self.at >= NETWORK_WORKS {
            return Some(quick);
        }
        match self.rng.below(10) {
            0 => None,
            1 => Some((self.rng.below(30_000) as u64).min(NETWORK_WORKS - self.at)),
            2 => Some(self.rng.below(6_000) as u64),
            _ => Some(quick),
        }
    }

    fn jitter(&mut self) -> f64 {
        self.rng.below(1_000) as f64 / 1_000.0
    }

    /// Those that believe to lead at this moment of true time.
    fn leaders(&self) -> Vec<usize> {
        (0..REPLICAS).filter(|replica| self.replicas[*replica].leads(self.at)).collect()
    }

    fn run_until(&mut self, end: u64, seed: u64) {
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end) {
            let ((at, _), (replica, event)) = entry.remove_entry();
            self.at = at;
            self.happen(replica, event);
            assert!(self.leaders().len() <= 1, "seed {seed}: at {at} ms {:?} lead", self.leaders());
        }
        self.at = end;
    }

    fn happen(&mut self, replica: usize, event: Event) {
        let own = &mut self.replicas[replica];
        match event {
            Event::Arrive(number, step) => self.serve(replica, number, step),
            Event::Delete => self.delete(),
            _ if !own.is_alive => {}
            Event::Kill => own.is_alive = false,
            Event::Stop(length) => own.stopped_until = own.stopped_until.max(self.at + length),
            event if self.at < own.stopped_until => {
                let resumed = own.stopped_until;
                self.schedule(resumed, replica, event);
            }
            Event::Wake => self.step(replica),
            Event::Answer(number, answer) => self.answer(replica, number, answer),
            Event::Terminate => {
                own.is_alive = false;
                if let Some(step @ Step::Write(_)) = own.election.release(own.now(self.at), own.wall(self.at)) {
                    self.send(replica, 0, step);
                }
            }
        }
    }

    fn step(&mut self, replica: usize) {
        let own = &self.replicas[replica];
        let now = own.now(self.at);
        match own.election.step(now, own.wall(self.at)) {
            Step::Wait(next) => {
                let at = own.at(next).max(self.at + 1);
                self.schedule(at, replica, Event::Wake);
            }
            step => {
                let limit = now + own.election.request_timeout(now);
                let given_up = own.at(limit).max(self.at);
                let number = self.scheduled;
                self.replicas[replica].request = Some((number, matches!(step, Step::Write(_)), now, limit));
                self.schedule(given_up, replica, Event::Answer(number, None));
                self.send(replica, number, step);
            }
        }
    }

    fn send(&mut self, replica: usize, number: u64, step: Step) {
        if let Some(delay) = self.delay() {
            self.schedule(self.at + delay, replica, Event::Arrive(number, step));
        }
    }

    /// What an API server does.
    fn serve(&mut self, replica: usize, number: u64, step: Step) {
        let written = match step {
            Step::Wait(_) | Step::Read => None,
            Step::Create => self.stored.is_none().then(LeaseSpec::default),
            Step::Write(write) if self.stored.as_ref().is_some_and(|stored| stored.version == write.version) => {
                Some(write.spec)
            }
            Step::Write(_) => return self.reply(replica, number, Err(Failure::Conflict)),
        };
        if let Some(spec) = written {
            self.versions += 1;
            self.stored = Some(StoredLease { spec, version: self.versions.to_string() });
        }
        self.reply(replica, number, Ok(self.stored.clone()));
    }

    fn delete(&mut self) {
        let holder = self.stored.as_ref().and_then(|stored| stored.spec.holder_identity.as_deref());
        let mut living = self.replicas.iter().filter(|replica| replica.is_alive);
        if holder.is_some() && living.all(|replica| replica.election.holder() == holder) {
            let deleted = self.stored.take().and_then(|stored| stored.spec.lease_transitions);
            self.transitions += deleted.unwrap_or_default();
            self.deletions += 1;
        }
    }

    fn reply(&mut self, replica: usize, number: u64, answer: Result<Option<StoredLease>, Failure>) {
        if let Some(delay) = self.delay() {
            self.schedule(self.at + delay, replica, Event::Answer(number, Some(answer)));
        }
    }

    fn answer(&mut self, replica: usize, number: u64, answer: Option<Result<Option<StoredLease>, Failure>>) {
        let jitter = self.jitter();
        let own = &mut self.replicas[replica];
        let Some((_, is_write, sent, limit)) = own.request.take_if(|request| request.0 == number) else { return };
        let now = own.now(self.at);
        match answer.filter(|_| now < limit) {
            Some(Ok(Some(lease))) if is_write => own.election.wrote(lease, sent, now),
            Some(Ok(lease)) => own.election.observe(lease, now, jitter),
            Some(Err(failure)) => own.election.fail(failure, now, jitter),
            None => own.election.fail(Failure::Other, now, jitter),
        }
        self.step(replica);
    }
}

#[test]
fn at_most_one_replica_leads_and_one_leads_on_a_working_network() {
    let (mut changes, mut deletions) = (0, 0);
    for seed in 0..SCHEDULES {
        let mut world = World::new(seed);
        world.run_until(LED, seed);
        let leaders = world.leaders();
        assert_eq!(leaders.len(), 1, "seed {seed}: 20 s after the last disturbance");
        world.run_until(END, seed);
        assert_eq!(world.leaders(), leaders, "seed {seed}: a leader without failures stays");
        let stored = world.stored.expect("the leader has written it").spec;
        deletions += world.deletions;
        changes += world.transitions + stored.lease_transitions.expect("it is written");
    }
    assert!(deletions > SCHEDULES / 10, "{deletions} deletions of the Lease");
    assert!(changes > SCHEDULES as i32 * 2, "the schedules are hard enough: {changes} changes of the leader");
}

/// A replica alone, at so many milliseconds of its clock.
fn alone() -> (Election, impl Fn(u64) -> Moment) {
    let at = |milliseconds| Moment::since_start(Duration::from_millis(milliseconds));
    (Election::new("own".to_owned(), Timing::default(), at(0)), at)
}

fn held_by(holder: &str, renewed: i64, version: &str) -> StoredLease {
    let time = Timestamp::from_second(renewed).expect("a time of the last century");
    let renew_time = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime(time));
    let holder_identity = Some(holder.to_owned());
    let spec = LeaseSpec { holder_identity, renew_time, lease_duration_seconds: Some(15), ..LeaseSpec::default() };
    StoredLease { spec, version: version.to_owned() }
}

#[test]
fn lease_expires_by_the_clock_of_the_observer() {
    let (mut election, at) = alone();
    // The holder's clock is decades off, but it is not used.
    election.observe(Some(held_by("other", 0, "1")), at(0), 0.0);
    election.observe(Some(held_by("other", 2, "2")), at(2_000), 0.0);
    election.observe(Some(held_by("other", 2, "2")), at(16_900), 0.0);
    assert_eq!(election.step(at(16_900), Timestamp::UNIX_EPOCH), Step::Wait(at(17_000)), "exactly at its end");
    election.observe(Some(held_by("other", 2, "3")), at(17_000), 0.0);
    let Step::Write(lease) = election.step(at(17_000), Timestamp::UNIX_EPOCH) else { panic!("it has expired") };
    assert_eq!((lease.spec.holder_identity.as_deref(), lease.version.as_str()), (Some("own"), "3"));
}

#[test]
fn a_holder_that_was_stopped_reads_before_it_writes() {
    let (mut election, at) = alone();
    election.observe(Some(held_by("", 0, "1")), at(0), 0.0);
    election.wrote(held_by("own", 1, "2"), at(0), at(100));
    assert_eq!(election.deadline(at(9_999)), Some(at(10_000)), "counted from the sending");
    assert!(matches!(election.step(at(9_999), Timestamp::UNIX_EPOCH), Step::Write(_)));
    assert_eq!(election.request_timeout(at(9_000)), Duration::from_secs(1), "and no longer than that");
    assert_eq!(election.deadline(at(10_000)), None);
    assert_eq!(election.step(at(40_000), Timestamp::UNIX_EPOCH), Step::Read);
    assert_eq!(election.release(at(40_000), Timestamp::UNIX_EPOCH), None);
}

#[test]
fn released_lease_is_acquired_at_next_retry() {
    let (mut holder, at) = alone();
    holder.observe(Some(held_by("", 0, "1")), at(0), 0.0);
    holder.wrote(held_by("own", 1, "2"), at(0), at(0));
    let Some(Step::Write(released)) = holder.release(at(1_000), Timestamp::UNIX_EPOCH) else { panic!("it leads") };
    assert_eq!(released.spec.holder_identity.as_deref(), Some(""));
    assert_eq!(released.spec.lease_duration_seconds, Some(1));
    let mut other = Election::new("other".to_owned(), Timing::default(), at(0));
    other.observe(Some(held_by("own", 1, "2")), at(500), 0.0);
    assert_eq!(
        other.step(at(500), Timestamp::UNIX_EPOCH),
        Step::Wait(at(2_500)),
        "it looks again after the retry period"
    );
    other.observe(Some(StoredLease { version: "3".to_owned(), ..released }), at(2_500), 0.0);
    assert!(matches!(other.step(at(2_500), Timestamp::UNIX_EPOCH), Step::Write(_)));
}

#[test]
fn deleted_lease_is_not_acquired_before_its_expiry() {
    let (mut election, at) = alone();
    election.observe(Some(held_by("other", 0, "1")), at(0), 0.0);
    election.observe(None, at(2_000), 0.0);
    assert_eq!(election.step(at(2_000), Timestamp::UNIX_EPOCH), Step::Wait(at(4_000)));
    election.observe(None, at(15_000), 0.0);
    let end = Step::Wait(at(17_000));
    assert_eq!(election.step(at(15_000), Timestamp::UNIX_EPOCH), end, "it may have been renewed before the deletion");
    election.observe(Some(StoredLease { spec: LeaseSpec::default(), version: "2".to_owned() }), at(16_900), 0.0);
    assert_eq!(election.step(at(16_900), Timestamp::UNIX_EPOCH), end, "another replica has created it");
    election.observe(None, at(17_000), 0.0);
    assert_eq!(election.step(at(17_000), Timestamp::UNIX_EPOCH), Step::Create);
}
