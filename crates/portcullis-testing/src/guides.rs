//! Evaluates the examples of guides, in which one configuration and one cluster serve several writes.

use std::path::Path;

use portcullis::files;
use portcullis_core::checks::{Operation, Plan, Write};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState, User};
use portcullis_core::config::Config;
use portcullis_core::finding::Action;
use portcullis_core::message::{Disclosure, render_cause};

use crate::page::{Block, blocks};
use crate::pages::{manifests, must_read, today};

/// One write, with what it meets.
#[derive(Debug, Default, Clone)]
pub struct GuideExample {
    /// From `yaml config`: the whole configuration. It applies to all writes after it.
    pub config: String,
    /// From `yaml cluster`: the objects of the cluster. Each block adds some.
    pub cluster: String,
    /// From `yaml write`: one or more objects, created one by one.
    pub write: String,
    /// From `findings`: the expected findings, a line for each; empty if the block is absent.
    pub findings: String,
}

/// The writes of a page. Blocks with other words, such as `sh`, are for readers only.
pub fn writes(page: &str) -> Vec<GuideExample> {
    let (mut config, mut cluster) = (String::new(), String::new());
    let mut all: Vec<GuideExample> = Vec::new();
    for Block { words, text } in blocks(page) {
        match words.as_str() {
            "yaml config" => config = text,
            "yaml cluster" => cluster += &format!("---\n{text}"),
            "yaml write" => {
                let (config, cluster) = (config.clone(), cluster.clone());
                all.push(GuideExample { config, cluster, write: text, findings: String::new() });
            }
            "findings" => all.last_mut().expect("a findings block follows the write that it is about").findings = text,
            _ => {}
        }
    }
    all
}

/// The findings of a write in the form of a `findings` block: `Deny` or `Warn`, the address and the message.
pub fn findings(example: &GuideExample) -> String {
    let config = Config::parse(&example.config).unwrap_or_else(|error| panic!("{error}\n{}", example.config));
    let plan = Plan::new(config).unwrap_or_else(|errors| panic!("{errors:?}\n{}", example.config));
    let mut cluster = Cluster::with(SyncState::Complete);
    for manifest in files::parse(Path::new("guide.md"), &example.cluster).manifests {
        let object = must_read(&manifest);
        cluster.apply(Event::Apply(Facts::of(&object)));
    }
    let mut lines = String::new();
    for manifest in manifests(&example.write) {
        let object = must_read(&manifest);
        let overlay = Overlay::new(&cluster, &manifest.object_ref);
        let user = Some(User::named("alice"));
        let write = Write { operation: Operation::Create, this: &manifest.object_ref, user, now: today() };
        for evaluated in plan.check(&object, || None, &overlay, &write).findings {
            if matches!(evaluated.action, Action::Deny | Action::Warn) {
                let (action, at) = (evaluated.action.name(), &evaluated.finding.at);
                lines += &format!("{action} {at}: {}\n", render_cause(&evaluated.finding, Disclosure::All));
            }
        }
    }
    lines
}
