//! The faults of an object by itself, for code that decides whether the object can be accepted: each of them makes the
//! webhook deny the object in every profile that denies, so that a status and the webhook agree.

use std::sync::LazyLock;

use jiff::Timestamp;

use super::Part;
use super::shared::ObjectParts;
use super::{Check, Context, Input, ReviewSubjects, When, assumption, registry};
use crate::cluster::{DataPlanes, Overlay, Ownership, Subject};
use crate::config::{Config, Options, Theme};
use crate::finding::{Action, Finding, Findings, Profile};
use crate::kinds::{Kind, Object};
use crate::matching::expressions::Expressions;
use crate::operation::Operation;
use crate::routing::delegation::NeighborVerdicts;
use crate::routing::host_holders::SharedHolders;

/// The family of checks about metadata and decoding. What they find does not prevent that an object is served.
const ABOUT_METADATA: &str = "object/";

/// The checks of the content of each kind.
static BY_KIND: LazyLock<[Vec<&'static Check>; Kind::ALL.len()]> = LazyLock::new(|| {
    let is_of_content = |check: &&Check| {
        check.theme == Theme::Shape
            && check.needs.is_empty()
            && check.when == When::Exists
            && check.actions.of(Profile::Baseline) == Action::Deny
            && !check.id.starts_with(ABOUT_METADATA)
    };
    Kind::ALL
        .map(|kind| registry::all().filter(is_of_content).filter(|check| check.run.kinds().contains(kind)).collect())
});

/// The findings that deny `object` because of its own content. Rules that the installed CRDs enforce count too, since
/// CRDs may be newer than the rules or than the object. Where the CRDs are not known, only what both channels reject
/// counts.
pub fn faults(object: &Object<'_>, cluster: &Overlay<'_>, config: &Config) -> Vec<Finding> {
    let kind = object.kind();
    let schema = cluster.schema(kind);
    let mut found = faults_in(object, &cluster.with_known_schemas(), config);
    if !found.is_empty() && !schema.enforced && kind.is_gateway_api() && config.gateway_bundle.is_none() {
        let other = faults_in(object, &cluster.assuming(assumption::other_channel(schema.bundle)), config);
        let is_at = |fault: &Finding, finding: &Finding| assumption::is_of_one_element(&finding.at, &fault.at);
        found.retain(|finding| other.iter().any(|fault| is_at(fault, finding)));
    }
    found
}

/// The findings that deny `object` because of its own content under the bundles that `cluster` assumes.
pub(super) fn faults_in(object: &Object<'_>, cluster: &Overlay<'_>, config: &Config) -> Vec<Finding> {
    let object_parts = ObjectParts::of(object);
    let input = Input::Object(ReviewSubjects::of(&object_parts, object.metadata().namespace(), cluster));
    let part = Part::default();
    let (options, ownership, data_planes) = (Options::default(), Ownership::default(), DataPlanes::default());
    let (neighbors, holders) = (NeighborVerdicts::new(), SharedHolders::default());
    let expressions = Expressions::default();
    let context = Context {
        operation: Operation::Stored,
        this: cluster.this(),
        created: object.metadata().created(),
        subject: Subject { kind: object.kind(), class: None, namespace: object.metadata().namespace(), user: None },
        cluster,
        options: &options,
        ownership: &ownership,
        data_planes: &data_planes,
        config,
        now: Timestamp::UNIX_EPOCH,
        part: &part,
        neighbors: &neighbors,
        holders: &holders,
        expressions: &expressions,
        old: None,
    };
    let mut all = Vec::new();
    for check in &BY_KIND[object.kind() as usize] {
        let mut found = Vec::new();
        check.run.check(&input, &context, &mut Findings::of(check.id, &mut found));
        all.extend(found.into_iter().filter(|finding| finding.at_most == Action::Deny));
    }
    all
}
