//! The decisions of one replica: from what it saw of the Lease, and when, to its next step. Pure; the caller brings the time.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

use super::clock::Moment;

/// The durations of an election. The same in all replicas.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// How long a Lease that does not change keeps the other replicas from taking it.
    pub lease: Duration,
    /// How long the holder leads after it sent its last successful renewal. Shorter than `lease`: the difference covers clocks of
    /// different speed, and writes that are still on their way when the holder gives up.
    pub renew: Duration,
    /// How long to wait between two attempts.
    pub retry: Duration,
    /// How long one request may take.
    pub request: Duration,
}

impl Default for Timing {
    /// The durations of client-go's users, and controller-runtime's timeout of one request.
    fn default() -> Self {
        let [lease, renew, retry, request] = [15, 10, 2, 5].map(Duration::from_secs);
        Self { lease, renew, retry, request }
    }
}

/// A Lease as the API server stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredLease {
    /// Its content.
    pub spec: LeaseSpec,
    /// The resource version, which a write must name.
    pub version: String,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Nothing, until this moment.
    Wait(Moment),
    /// Read the Lease.
    Read,
    /// Create the Lease without a holder; it does not exist.
    Create,
    /// Write the Lease. Fails if its resource version is no longer this one.
    Write(StoredLease),
}

/// Why an attempt did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Another write came first.
    Conflict,
    /// Anything else, such as no answer in time. The write may have succeeded all the same.
    Other,
}

/// The content of a Lease, and when this replica first saw it.
#[derive(Debug)]
struct Observed {
    spec: LeaseSpec,
    since: Moment,
    /// Whether the Lease was deleted since. The holder that it named may have renewed it shortly before.
    is_gone: bool,
}

/// What a write is based on: the resource version, or that there is no Lease.
#[derive(Debug)]
struct Precondition {
    version: Option<String>,
    seen: Moment,
}

/// The election as one replica sees it.
#[derive(Debug)]
pub struct Election {
    identity: String,
    timing: Timing,
    observed: Option<Observed>,
    /// What the next write is based on; none if the Lease must be read first.
    basis: Option<Precondition>,
    /// Until when this replica leads.
    deadline: Option<Moment>,
    next: Moment,
}

impl Election {
    /// An election in which this replica has the name `identity`, which no other process ever has.
    pub fn new(identity: String, timing: Timing, now: Moment) -> Self {
        Self { identity, timing, observed: None, basis: None, deadline: None, next: now }
    }

    /// The name of this replica.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Until when this replica leads, if it does at `now`.
    pub fn deadline(&self, now: Moment) -> Option<Moment> {
        self.deadline.filter(|deadline| now < *deadline)
    }

    /// The replica that was last seen to hold the Lease.
    pub fn holder(&self) -> Option<&str> {
        self.observed.as_ref().and_then(|observed| holder(&observed.spec))
    }

    /// The replica that leads at `now`, as far as this one knows: another one whose Lease has not expired.
    pub fn other_leader(&self, now: Moment) -> Option<&str> {
        self.expiry().filter(|expiry| now < *expiry)?;
        self.holder()
    }

    /// The next step. `time` is the time of day, which is written for people to read and decides nothing.
    ///
    /// Only a holder within its deadline writes without reading first, so that one that was stopped for a while does not write
    /// after waking.
    pub fn step(&self, now: Moment, time: Timestamp) -> Step {
        if now < self.next {
            return Step::Wait(self.next);
        }
        let leads = self.deadline(now).is_some();
        match &self.basis {
            Some(Precondition { version: Some(version), seen }) if leads || now - *seen < self.timing.retry => {
                Step::Write(StoredLease { spec: self.held_spec(time), version: version.clone() })
            }
            Some(Precondition { version: None, seen }) if leads || now - *seen < self.timing.retry => Step::Create,
            _ => Step::Read,
        }
    }

    /// How long a request may take that is sent at `now`: a holder's ends before its time does.
    pub fn request_timeout(&self, now: Moment) -> Duration {
        self.deadline(now).map_or(self.timing.request, |deadline| self.timing.request.min(deadline - now))
    }

    /// Takes in what a read or a creation found at `now`; none if there is no Lease. `jitter` is between 0 and 1.
    pub fn observe(&mut self, lease: Option<StoredLease>, now: Moment, jitter: f64) {
        let version = match lease {
            Some(StoredLease { spec, version }) => {
                self.see(spec, now);
                Some(version)
            }
            None => {
                self.see_no_holder(now);
                None
            }
        };
        match self.expiry().filter(|expiry| now < *expiry) {
            Some(expiry) => {
                (self.deadline, self.basis) = (None, None);
                self.next = expiry.min(self.later(now, jitter));
            }
            None => {
                self.basis = Some(Precondition { version, seen: now });
                self.next = now;
            }
        }
    }

    /// Takes in that the write that was sent at `sent` succeeded, which is known at `now`.
    pub fn wrote(&mut self, lease: StoredLease, sent: Moment, now: Moment) {
        self.see(lease.spec, now);
        self.basis = Some(Precondition { version: Some(lease.version), seen: sent });
        // From the moment of sending: the Lease may have been written at once, and the answer delayed.
        self.deadline = Some(sent + self.timing.renew);
        self.next = sent + self.timing.retry;
    }

    /// Takes in that an attempt failed at `now`. `jitter` is between 0 and 1.
    pub fn fail(&mut self, failure: Failure, now: Moment, jitter: f64) {
        self.basis = None;
        self.next = match failure {
            // Who lost a race learns the winner soon, and a holder whose Lease was edited renews it well before its deadline.
            Failure::Conflict => now + self.timing.retry / 20,
            Failure::Other => self.later(now, jitter),
        };
    }

    /// How a holder lets others take the Lease at once: by writing it without a holder, after reading it if need be. None if this
    /// replica does not lead.
    pub fn release(&self, now: Moment, time: Timestamp) -> Option<Step> {
        self.deadline(now)?;
        let Some(basis) = &self.basis else { return Some(Step::Read) };
        let spec =
            LeaseSpec { holder_identity: Some(String::new()), lease_duration_seconds: Some(1), ..self.held_spec(time) };
        Some(Step::Write(StoredLease { spec, version: basis.version.clone()? }))
    }

    fn see(&mut self, spec: LeaseSpec, now: Moment) {
        // A Lease that was created again names no holder, unlike one that was released (`""`).
        if spec.holder_identity.is_none() && self.expiry().is_some() {
            return self.see_no_holder(now);
        }
        if self.observed.as_ref().is_none_or(|observed| observed.spec != spec) {
            self.observed = Some(Observed { spec, since: now, is_gone: false });
        }
    }

    /// Takes in that the Lease was deleted. The holder that was last seen leads until a Lease that it renewed just now would expire.
    fn see_no_holder(&mut self, now: Moment) {
        if let Some(observed) = self.observed.as_mut().filter(|observed| !observed.is_gone) {
            (observed.since, observed.is_gone) = (now, true);
        }
    }

    /// When the Lease that another replica was last seen to hold expires; none if no other replica holds it. It is
    /// assumed to last at least as long as our own, whatever it says.
    fn expiry(&self) -> Option<Moment> {
        let Observed { spec, since, .. } = self.observed.as_ref()?;
        holder(spec).filter(|holder| *holder != self.identity)?;
        let seconds = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or_default();
        Some(*since + Duration::from_secs(seconds).max(self.timing.lease))
    }

    /// The next attempt after one at `now`: never later than the retry period, so that a Lease that was released is taken within it,
    /// and earlier by chance, so that replicas do not ask in step.
    fn later(&self, now: Moment, jitter: f64) -> Moment {
        now + self.timing.retry.mul_f64(1.0 - 0.25 * jitter.clamp(0.0, 1.0))
    }

    /// The content of a Lease that this replica holds.
    fn held_spec(&self, time: Timestamp) -> LeaseSpec {
        let known = self.observed.as_ref().map(|observed| observed.spec.clone()).unwrap_or_default();
        let is_renewal = holder(&known) == Some(&self.identity);
        let transitions = known.lease_transitions.unwrap_or_default();
        LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: Some(i32::try_from(self.timing.lease.as_secs()).unwrap_or(i32::MAX)),
            acquire_time: known.acquire_time.clone().filter(|_| is_renewal).or(Some(MicroTime(time))),
            renew_time: Some(MicroTime(time)),
            lease_transitions: Some(if is_renewal { transitions } else { transitions.saturating_add(1) }),
            ..known
        }
    }
}

/// The holder that a Lease names.
fn holder(spec: &LeaseSpec) -> Option<&str> {
    spec.holder_identity.as_deref().filter(|holder| !holder.is_empty())
}
