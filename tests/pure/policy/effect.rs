//! What becomes of one Ingress under a configuration, as a review and as `config explain` say it.

use portcullis_core::cluster::{Cluster, Event, Extra, Facts, Overlay, Subject, SyncState, User};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_testing::config::plan;
use portcullis_testing::pages::{manifests, today};

use self::Effect::{Denies, Silent, Warns};
use super::review_fixture::{Review, SOUND, ingress};

/// An annotation that `ingress/snippet` reports.
pub const SNIPPET: &str = "annotations: {nginx.ingress.kubernetes.io/server-snippet: any}";

/// Every namespace of the tests.
pub const NAMESPACES: &str = "
---
apiVersion: v1
kind: Namespace
metadata: {name: bank, labels: {team: bank, tier: gold, policy: restricted}}
---
apiVersion: v1
kind: Namespace
metadata: {name: lab, labels: {team: lab, policy: audit}}
---
apiVersion: v1
kind: Namespace
metadata: {name: odd, labels: {policy: strict}}
";

/// What becomes of a write.
#[derive(Debug, PartialEq, Clone, Copy)]
pub enum Effect {
    Silent,
    Warns,
    Denies,
}

/// What becomes of an Ingress with a snippet that `alice` of group `dev` creates in the namespace. Other checks are off.
pub fn effect_in(namespace: &str, config: &str, namespaces: SyncState) -> Effect {
    let object = ingress(&format!("{namespace}/shop"), SNIPPET, "shop.example.com", "/");
    let rest = [SOUND, NAMESPACES].concat();
    let review = Review { config, object: &object, rest: &rest, namespaces, groups: &["dev"], ..Review::default() };
    let effect = effect(&review);
    assert_eq!(explained(namespace, config, namespaces), effect, "`config explain` says what a review does: {config}");
    effect
}

/// The effect that `config explain` shows for the same write.
fn explained(namespace: &str, config: &str, namespaces: SyncState) -> Effect {
    let plan = plan(config);
    let mut cluster = Cluster::default();
    cluster.apply(Event::SyncState(Kind::Namespace, namespaces));
    for manifest in manifests(&[SOUND, NAMESPACES].concat()) {
        cluster.apply(Event::Apply(Facts::of(&manifest.object().expect("a manifest of ours can be read"))));
    }
    let (groups, extra) = (["dev".to_owned()], Extra::new());
    let user = Some(User { name: "alice", groups: &groups, extra: &extra });
    let subject = Subject { kind: Kind::Ingress, class: Some("nginx"), namespace, user };
    let object = ObjectRef::new(Kind::Ingress, namespace, "shop");
    let decisions = plan.decide(&subject, &Overlay::new(&cluster, &object), today());
    let meant = if config.contains("maxRisk") { "ingress/annotation-risky" } else { "ingress/snippet" };
    let decision = decisions.checks.iter().find(|decision| decision.check.id == meant).expect("the check exists");
    match decision.action() {
        _ if decision.exemption.is_some() => Silent,
        // The snippet is of a risk that only some options forbid.
        _ if config.contains("maxRisk: Critical") && namespace == "web" => Silent,
        Action::Deny => Denies,
        Action::Warn => Warns,
        Action::Audit | Action::Off => Silent,
    }
}

/// What becomes of the write of a review, as far as the snippet or its risk decides.
pub fn effect(review: &Review<'_>) -> Effect {
    let response = review.response();
    let checks = ["[ingress/snippet]", "[ingress/annotation-risky]"];
    let [snippet, risky] = checks;
    let is_meant = |text: &&str| text.contains(snippet) || review.config.contains("maxRisk") && text.contains(risky);
    match (response.denials().iter().any(is_meant), response.warnings().iter().any(is_meant)) {
        (true, _) => Denies,
        (false, true) => Warns,
        (false, false) => Silent,
    }
}

/// What becomes of the Ingress in `web`, `bank` and `lab`.
pub fn effects(config: &str) -> [Effect; 3] {
    ["web", "bank", "lab"].map(|namespace| effect_in(namespace, config, SyncState::Complete))
}
