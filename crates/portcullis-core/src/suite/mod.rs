//! Test cases: objects, and what a configuration must say about them; and requests, and which object must answer them.
//!
//! [`TestSuite::parse`] reads a file of cases. [`run`] compares the outcome of a write with what is expected, and [`RequestCase::run`] the
//! answer to a request; [`Coverage`] says which rules have a test, and [`Recording`] writes a file from today's answers. Finding the files
//! and their objects is up to the caller.

mod answers;
mod expected;
mod record;
mod requests;
mod rules;
mod run;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::config::{ConfigErrors, Spanned, read_document};
use crate::finding::Action;

pub use expected::ExpectedAnswer;
pub use record::{RECORDED, Recording};
pub use requests::{RequestCase, Rule};
pub use rules::Coverage;
pub use run::{CaseObjects, Mismatch, run};

/// The `apiVersion` of the file.
pub const API_VERSION: &str = "test.portcullis.dev/v1alpha1";
/// The `kind` of the file.
pub const KIND: &str = "PortcullisTest";

/// A file of test cases.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestSuite {
    /// Must be `test.portcullis.dev/v1alpha1`.
    pub api_version: String,
    /// Must be `PortcullisTest`.
    pub kind: String,
    /// Files and folders with the other objects of the cluster, relative to this file.
    #[serde(default)]
    pub cluster: Vec<Spanned<String>>,
    /// Whether these are all objects of the cluster, so that what is not among them does not exist. Otherwise only kinds and namespaces of
    /// which there are objects are known.
    #[serde(default)]
    pub complete: bool,
    /// The cases: writes, and what the configuration must say about them.
    #[serde(default)]
    pub cases: Vec<TestCase>,
    /// Requests, and which answers the objects in `cluster` must give.
    #[serde(default)]
    pub requests: Vec<RequestCase>,
}

/// One case: a write, and what is expected of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestCase {
    /// The name of the case.
    pub name: Spanned<String>,
    /// The object that is written, as a manifest.
    pub object: Spanned<Value>,
    /// The object before the write, which makes the write an update.
    #[serde(default)]
    pub old_object: Option<Spanned<Value>>,
    /// Whether the object is deleted.
    #[serde(default)]
    pub delete: bool,
    /// The user who writes; without one, no setting for users or groups applies.
    #[serde(default)]
    pub user: Option<String>,
    /// The groups of the user.
    #[serde(default)]
    pub groups: Vec<String>,
    /// The labels of the namespace of the object. They replace those of the Namespace in `cluster`.
    #[serde(default)]
    pub namespace_labels: Option<BTreeMap<String, String>>,
    /// What is expected.
    pub expect: Expectation,
}

/// What is expected of a write.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expectation {
    /// Whether the write is admitted; by default, that is not tested.
    #[serde(default)]
    pub allowed: Option<bool>,
    /// The findings, each of which must be found; any other denial or warning fails the case. By default, they are not tested.
    #[serde(default)]
    pub findings: Option<Vec<ExpectedFinding>>,
    /// Findings, each of which must be found, whatever else is found. By default, there are none.
    #[serde(default)]
    pub contains: Option<Vec<ExpectedFinding>>,
}

impl Expectation {
    fn all(&self) -> impl Iterator<Item = &ExpectedFinding> {
        [&self.findings, &self.contains].into_iter().flatten().flatten()
    }

    const fn is_empty(&self) -> bool {
        self.allowed.is_none() && self.findings.is_none() && self.contains.is_none()
    }
}

/// A finding that is expected.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectedFinding {
    /// The id of the check.
    pub check: Spanned<String>,
    /// The effect of the finding; by default, any.
    #[serde(default)]
    pub action: Option<Action>,
    /// The address of the field, such as `spec.rules[0].host`; by default, any.
    #[serde(default)]
    pub field: Option<String>,
    /// A part of the message; by default, any.
    #[serde(default)]
    pub message: Option<String>,
}

impl TestSuite {
    /// Reads a file of test cases. The errors have their positions.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigErrors> {
        let suite: Self = read_document(Some(&Arc::from(name)), text, API_VERSION, KIND)?;
        let expected = suite.cases.iter().flat_map(|case| case.expect.all());
        let unknown = expected.filter_map(|finding| crate::checks::settings::must_name_one_check(&finding.check).err());
        let empty = suite.cases.iter().filter(|case| case.expect.is_empty());
        let empty =
            empty.map(|case| case.name.error("the case expects nothing: set `allowed`, `findings` or `contains`"));
        let userless = suite.cases.iter().filter(|case| case.user.is_none() && !case.groups.is_empty());
        let userless = userless.map(|case| case.name.error("`groups` have no effect without `user`: set both"));
        let of_requests = suite.requests.iter().flat_map(RequestCase::errors);
        let first = suite.requests.first().filter(|_| suite.cluster.is_empty());
        let alone =
            first.map(|case| case.name.error("`requests` ask the objects in `cluster`: name their files there"));
        let mut errors: Vec<_> = unknown.chain(empty).chain(userless).chain(of_requests).chain(alone).collect();
        errors.sort_by(|left, right| left.at.cmp(&right.at));
        if errors.is_empty() { Ok(suite) } else { Err(ConfigErrors(errors)) }
    }
}
