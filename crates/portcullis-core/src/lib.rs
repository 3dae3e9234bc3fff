//! The pure part of Portcullis: functions that decide what is valid, which object claims a host, and which object
//! answers a request, given an object, the known state of its cluster, the configuration, and the time.
//!
//! The crate reads no file, clock or environment variable, opens no connection, and spawns no task. Its Cargo.toml
//! names no crate that could. The `portcullis` program adds these.
//!
//! A [`Plan`](checks::Plan), which is built from a configuration, checks a write against the rest of the cluster, which
//! it reads from an [`Overlay`](cluster::Overlay):
//!
//! ```
//! use portcullis_core::checks::{Operation, Plan, Write};
//! use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
//! use portcullis_core::config::Config;
//! use portcullis_core::kinds::{Kind, decode};
//! use portcullis_core::message::{Disclosure, render_warning};
//!
//! let ingress = |namespace: &str| {
//!     format!(
//!         r#"{{"metadata": {{"namespace": "{namespace}", "name": "shop"}}, "spec": {{"ingressClassName": "nginx", "rules": [
//!             {{"host": "shop.example.com", "http": {{"paths": [{{"path": "/", "pathType": "Prefix",
//!                 "backend": {{"service": {{"name": "web", "port": {{"number": 80}}}}}}}}]}}}}]}}}}"#
//!     )
//! };
//! // All Ingresses are known: there is one, in the namespace web.
//! let stored = ingress("web");
//! let mut cluster = Cluster::default();
//! cluster.apply(Event::SyncState(Kind::Ingress, SyncState::Complete));
//! cluster.apply(Event::Apply(Facts::of(&decode(Kind::Ingress, &stored)?)));
//!
//! // Another team creates one for the same host and path.
//! let written = ingress("other");
//! let object = decode(Kind::Ingress, &written)?;
//! let this = object.object_ref();
//! let config = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\nprofile: baseline\n";
//! let plan = Plan::new(Config::parse(config)?).expect("the profile is one that exists");
//! let now = "2026-12-01T00:00:00Z".parse()?;
//! let write = Write { operation: Operation::Create, this: &this, user: None, now };
//! let outcome = plan.check(&object, || None, &Overlay::new(&cluster, &this), &write);
//!
//! assert!(outcome.denies());
//! let denial = outcome.findings.iter().find(|evaluated| evaluated.finding.check == "host/path-conflict").expect("a conflict");
//! println!("{}", render_warning(&denial.finding, Disclosure::All));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Reviewer`](review::Reviewer) does the same with the bytes of an AdmissionReview and returns those of the response.
//! [`Snapshot`](explain::Snapshot) finds the object that serves a request.
//!
//! The modules from the bottom up. Each uses only modules above it in this list:
//!
//! - **Vocabulary**: [`field`] (addresses in objects), [`names`] (forms of names in the API), [`kinds`] (view types),
//!   [`finding`], [`message`], [`operation`], [`config`], [`bundle`] (releases of the Gateway API).
//! - **Relations**: [`matching`] (the algebra of hosts and paths), [`validation`] (rules about one object itself),
//!   [`cluster`] (the known state of the other objects), [`routing`] (the meaning of objects in combination).
//! - **Decisions**: [`defaults`] and [`checks`]; [`explain`] (which object answers a request); [`status`] (the status
//!   that an object should have); [`compare`] (which requests two sets of objects answer differently).
//! - **Responses**: [`review`] (AdmissionReview in, AdmissionReview out) and [`report`] (findings over many objects).

pub mod bundle;
pub mod checks;
pub mod cluster;
pub mod compare;
pub mod config;
pub mod defaults;
pub mod explain;
pub mod field;
pub mod finding;
pub mod kinds;
pub mod matching;
pub mod message;
pub mod names;
pub mod nginx;
pub mod operation;
pub mod report;
pub mod review;
pub mod routing;
pub mod status;
pub mod suite;
pub mod validation;
