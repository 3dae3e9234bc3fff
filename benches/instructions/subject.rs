//! What is counted: the call that answers a review, over a view of the size that is asked for.

use std::sync::{Arc, RwLock};

use jiff::Timestamp;
use portcullis::checks::Plan;
use portcullis::cluster::Cluster;
use portcullis::config::Config;
use portcullis::files::Folder;
use portcullis::review::Reviewer;

use crate::objects;

/// The reviewer over an index.
pub struct Subject {
    reviewer: Reviewer,
    now: Timestamp,
}

impl Subject {
    /// Over the class, namespaces and Services of the bench, and so many other Ingresses.
    pub fn over(ingresses: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        objects::write(folder.path(), ingresses).expect("the folder can be written");
        let cluster = Arc::new(RwLock::new(Cluster::default()));
        let events = Folder::new(&[folder.path().to_owned()], true).refresh().expect("the folder can be read");
        Cluster::apply_all(&cluster, events);
        let plan = Plan::new(Config::default()).expect("the default configuration is sound");
        Self { reviewer: Reviewer::new(plan, cluster), now: "2026-12-01T00:00:00Z".parse().expect("a timestamp") }
    }

    /// The answer to one AdmissionReview.
    pub fn validate(&self, review: &str) -> Vec<u8> {
        self.reviewer.validate(review.as_bytes(), self.now).expect("the payload is a review").body
    }
}
