//! Which checks run with which action, resolved from the configuration once; runs them; and compares with the object as it was.

use super::enabled::EnabledChecks;
use super::evaluation::Evaluation;
use super::outcome::{Outcome, Write};
use super::settings::{self, Settings};
use super::validate::validate;
use super::{Check, Operation, registry};
use crate::bundle::Bundle;
use crate::cluster::{DataPlanes, Overlay, Ownership, View};
use crate::config::{Config, ConfigError, Match};
use crate::defaults::{Defaulters, Edits};
use crate::finding::Action;
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{Kind, KindSet, Object, Partial};

/// The checks of one configuration.
#[derive(Debug)]
pub struct Plan {
    settings: Settings,
    defaults: Defaulters,
    needs: KindSet,
    needs_groups: bool,
    needs_extra: bool,
}

impl Plan {
    /// The plan of a configuration, or all that is wrong with it.
    pub fn new(config: Config) -> Result<Self, Vec<ConfigError>> {
        validate(&config)?;
        let pinned = settings::pinned(config.profile.as_ref()).map_err(|error| vec![error])?;
        let resolved = registry::all().map(|check| settings::resolve(check, pinned, &config));
        let enabled = resolved.filter(|enabled| enabled.action != Action::Off).collect();
        let ownership = Ownership::new(&config.host_ownership)?;
        let defaults = Defaulters::new(&config);
        let bundle = config.gateway_bundle.map_or(Bundle::NEWEST, Bundle::from);
        let data_planes = DataPlanes::new(&config.data_planes);
        let settings = Settings { config, enabled: EnabledChecks::new(enabled), ownership, data_planes, bundle };
        let needs = needs(&settings).union(defaults.needs());
        let needs_groups = settings.selectors().any(|only| !only.groups.is_empty());
        let needs_extra = settings.selectors().any(|only| !only.extra.is_empty());
        Ok(Self { settings, defaults, needs, needs_groups, needs_extra })
    }

    /// The kinds that enabled checks, defaulters and configured selectors ask for.
    pub fn needs(&self) -> KindSet {
        self.needs
    }

    /// Whether it matters which schemas a cluster has of the kinds that come as CRDs: some check is about one of them.
    pub fn needs_schemas(&self) -> bool {
        let is_about_crds = |kind: Kind| {
            kind.is_gateway_api()
                && self.settings.enabled.of(kind).any(|enabled| !enabled.check.run.kinds().contains(Kind::Ingress))
        };
        Kind::ALL.into_iter().any(is_about_crds)
    }

    /// Whether groups decide anything; only then are they read.
    pub fn needs_groups(&self) -> bool {
        self.needs_groups
    }

    /// Whether anything hangs on what else is known of the user; only then is it read.
    pub fn needs_extra(&self) -> bool {
        self.needs_extra
    }

    /// What the defaulters of the same configuration fill into `object`.
    ///
    /// ```
    /// use portcullis_core::checks::{Operation, Plan};
    /// use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
    /// use portcullis_core::config::Config;
    /// use portcullis_core::kinds::{Kind, decode};
    ///
    /// let class = r#"{"metadata": {"name": "nginx", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}}"#;
    /// let mut cluster = Cluster::with(SyncState::Complete);
    /// cluster.apply(Event::Apply(Facts::of(&decode(Kind::IngressClass, class)?)));
    ///
    /// let json = r#"{"metadata": {"namespace": "web", "name": "shop"}, "spec": {}}"#;
    /// let ingress = decode(Kind::Ingress, json)?;
    /// let plan = Plan::new(Config::default()).expect("the default configuration is valid");
    /// let edits = plan.fill(&ingress, Operation::Create, &Overlay::new(&cluster, &ingress.object_ref()));
    /// let patch = serde_json::to_value(edits.patch(json).collect::<Vec<_>>())?;
    /// assert_eq!(patch, serde_json::json!([{"op": "add", "path": "/spec/ingressClassName", "value": "nginx"}]));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn fill(&self, object: &Object<'_>, operation: Operation, cluster: &Overlay<'_>) -> Edits {
        self.defaults.fill(object, operation, cluster, &self.settings.config)
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.settings.config
    }

    /// The checks that run, each with its action, by id.
    pub fn checks(&self) -> impl Iterator<Item = (&'static Check, Action)> {
        self.settings.enabled.iter().map(|enabled| (enabled.check, enabled.action))
    }

    /// What the checks say of `object` (for a deletion, of the object that goes). What they said of `old` already only warns; `old` is
    /// read only when there is something to compare.
    pub fn check<'o>(
        &self,
        object: &Object<'_>,
        old: impl FnOnce() -> Option<Object<'o>>,
        view: &dyn View,
        write: &Write<'_>,
    ) -> Outcome {
        let mut evaluation = Evaluation::new(&self.settings, view, write);
        evaluation.run(object);
        if write.operation == Operation::Update
            && evaluation.wants_old(object)
            && let Some(old) = old()
        {
            evaluation.run_changes(object, &old);
            evaluation.mark_preexisting(object, &old);
        }
        evaluation.finish(object)
    }

    /// What the checks say of an object that is stored already; `manifest` is what a manifest has that an API server would not take.
    pub fn check_stored(
        &self,
        partial: &Partial<'_>,
        manifest: &ManifestErrors,
        view: &dyn View,
        write: &Write<'_>,
    ) -> Outcome {
        let mut evaluation = Evaluation::new(&self.settings, view, write);
        evaluation.run_unreadable(&partial.decode_errors);
        let Some(object) = &partial.object else {
            evaluation.run_manifest(None, manifest);
            return evaluation.outcome(|_| false);
        };
        evaluation.run(object);
        evaluation.run_manifest(Some(object), manifest);
        evaluation.finish(object)
    }

    /// What the checks say of an object of which not all could be read: of that, and of the rest.
    pub fn check_partial(
        &self,
        partial: &Partial<'_>,
        before: &Before<'_>,
        view: &dyn View,
        write: &Write<'_>,
    ) -> Outcome {
        let mut evaluation = Evaluation::new(&self.settings, view, write);
        evaluation.run_unreadable(&partial.decode_errors);
        if let Some(object) = &partial.object {
            evaluation.run(object);
            if let Before::Other(old) = before {
                evaluation.run_changes(object, old);
                evaluation.mark_preexisting(object, old);
            }
        }
        if matches!(before, Before::Same) {
            evaluation.mark_all_preexisting();
        }
        match &partial.object {
            Some(object) => evaluation.finish(object),
            None => evaluation.outcome(|_| false),
        }
    }
}

/// What an object of which not all can be read was before.
#[derive(Debug)]
pub enum Before<'a> {
    /// There was none, or one of which not all can be read either: whatever is found is new.
    Unknown,
    /// The same in all that is judged.
    Same,
    /// This one.
    Other(Box<Object<'a>>),
}

/// The kinds that the enabled checks and the configured selectors ask for.
fn needs(settings: &Settings) -> KindSet {
    let Settings { enabled, ownership, .. } = settings;
    let checks = enabled.iter().fold(KindSet::EMPTY, |set, enabled| set.union(KindSet::of(enabled.check.needs)));
    let selectors = settings.selectors().any(Match::needs_labels);
    let options = enabled.iter().any(|enabled| enabled.options.needs_labels());
    match selectors || options || ownership.needs_labels() {
        true => checks.union(KindSet::of(&[Kind::Namespace])),
        false => checks,
    }
}
