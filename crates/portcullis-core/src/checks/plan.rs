//! Resolves the configuration once into checks with actions, runs them, and compares the findings with those of the old
//! object.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::decision::{self, Decisions};
use super::enabled::{Enabled, EnabledChecks};
use super::evaluation::Evaluation;
use super::ineffective;
use super::layers::Layers;
use super::needs::{lowest_namespace_limit, needs, needs_labels};
use super::outcome::{EvaluatedFinding, Outcome, Write};
use super::pinned_profile::{PinnedProfile, pinned};
use super::resolve::resolve;
use super::settings::{HOST_RULE, Settings};
use super::validate::{self, validate};
use super::{Check, CheckOption, Operation, Profile, When, registry};
use crate::bundle::Bundle;
use crate::cluster::{Cluster, DataPlanes, Overlay, Ownership, Subject, View};
use crate::config::{Config, ConfigError, ConfigErrors, ConfigFile, ReadConfig};
use crate::defaults::{Defaulters, Edits};
use crate::finding::{Action, Finding, Taking};
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{Kind, KindSet, Object, Partial};
use crate::routing::delegation::{GraphRules, HostOwners};

/// The checks and defaulters of one configuration.
#[derive(Debug)]
pub struct Plan {
    settings: Settings,
    defaults: Defaulters,
    needs: KindSet,
    needs_to_deny: KindSet,
    needs_groups: bool,
    needs_extra: bool,
    lowest_namespace_limit: usize,
}

impl Plan {
    /// The plan of a configuration, or all errors in it.
    pub fn new(config: Config) -> Result<Self, Vec<ConfigError>> {
        validate(&config)?;
        let ownership = Ownership::new(&config.host_ownership)?;
        let pinned = pinned(config.profile.as_ref()).map_err(|error| vec![error])?;
        let pinned = PinnedProfile { strict_document: config.status.strict_document, ..pinned };
        let layers = Layers::new(&config, pinned)?;
        let resolved = registry::all().enumerate().map(|(index, check)| {
            let resolved = resolve(check, pinned, &config);
            Enabled { index, strictest: layers.strictest(index, resolved.action), ..resolved }
        });
        let is_enabled = |enabled: &Enabled| enabled.strictest != Action::Off || enabled.check.when == When::GivenUp;
        let enabled = resolved.filter(is_enabled).collect();
        let defaults = Defaulters::new(&config);
        let bundle = config.gateway_bundle.map_or(Bundle::NEWEST, Bundle::from);
        let data_planes = DataPlanes::new(&config.data_planes);
        let enabled = EnabledChecks::new(enabled, |enabled| can_find(enabled, &layers));
        let settings = Settings { config, pinned, enabled, layers, ownership, data_planes, bundle };
        let all_needs = needs(&settings, |_| true).union(defaults.needs());
        let needs_to_deny = needs(&settings, |action| action == Action::Deny);
        let needs_groups = settings.selectors().any(|only| !only.groups.is_empty());
        let needs_extra = settings.selectors().any(|only| !only.extra.is_empty());
        let lowest_namespace_limit = lowest_namespace_limit(&settings);
        Ok(Self {
            settings,
            defaults,
            needs: all_needs,
            needs_to_deny,
            needs_groups,
            needs_extra,
            lowest_namespace_limit,
        })
    }

    /// The plan of a configuration in files, or all errors in them: those in their form, and those in what they say. `edit` changes the
    /// configuration before it is used.
    pub fn read(files: &[ConfigFile], edit: impl FnOnce(&mut Config)) -> Result<Self, ConfigErrors> {
        let ReadConfig { config, errors, remains } = ReadConfig::of(files);
        let edited = config.map(|mut config| {
            edit(&mut config);
            config
        });
        let config = match edited {
            Some(config) if errors.is_empty() => return Self::new(config).map_err(ConfigErrors),
            invalid => invalid,
        };
        let mut errors: Vec<ConfigError> = errors.into_iter().map(validate::with_options).collect();
        errors.extend(config.iter().flat_map(validate::faults));
        errors.extend(validate::gaps(&remains));
        errors.sort_by(|left, right| left.at.cmp(&right.at));
        Err(ConfigErrors(errors))
    }

    /// The kinds that the enabled checks, the defaulters and the configured selectors look up.
    pub fn needs(&self) -> KindSet {
        self.needs
    }

    /// The kinds without which enabled checks cannot deny what they should.
    pub fn needs_to_deny(&self) -> KindSet {
        self.needs_to_deny
    }

    /// Whether the versions of the installed CRDs matter, because a check for a kind of the Gateway API is enabled.
    pub fn needs_schemas(&self) -> bool {
        let is_about_crds = |kind: Kind| {
            kind.is_gateway_api()
                && self.settings.enabled.of(kind).any(|enabled| !enabled.check.run.kinds().contains(Kind::Ingress))
        };
        Kind::ALL.into_iter().any(is_about_crds)
    }

    /// Whether any selector matches groups. They are only decoded if so.
    pub fn needs_groups(&self) -> bool {
        self.needs_groups
    }

    /// Whether any selector matches the extra fields of the user. They are only decoded if so.
    pub fn needs_extra(&self) -> bool {
        self.needs_extra
    }

    /// The lowest number of paths and matches that some namespace may have; `usize::MAX` if no namespace is limited.
    pub fn lowest_namespace_limit(&self) -> usize {
        self.lowest_namespace_limit
    }

    /// The edits that the defaulters of the same configuration make to `object`.
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

    /// The name of the profile of all writes, with its pin as it is written.
    pub fn profile_name(&self) -> &str {
        self.config().profile.as_ref().map_or(Profile::Baseline.name(), |profile| profile.as_str())
    }

    /// The maximum action of all writes, if the configuration sets one.
    pub fn max_action(&self) -> Option<Action> {
        self.config().max_action.as_ref().map(|written| written.value.action())
    }

    /// Which namespaces may claim which hosts.
    pub fn ownership(&self) -> &Ownership {
        &self.settings.ownership
    }

    /// The rules under which verdicts on IngressRoutes are formed at `now`: a root whose host belongs to another
    /// namespace is invalid if the check `host/not-owned` would deny it.
    pub fn graph_rules(&self, now: Timestamp) -> GraphRules<'_> {
        let config = &self.settings.config;
        let is_meant = |enabled: &&Enabled| enabled.check.id == HOST_RULE && enabled.strictest == Action::Deny;
        let owners = self.settings.enabled.of(Kind::IngressRoute).find(is_meant).map(|enabled| HostOwners {
            ownership: &self.settings.ownership,
            rule: Some(&self.settings),
            exemptions: &enabled.exemptions,
            now,
        });
        GraphRules { config, owners: owners.unwrap_or_else(HostOwners::none), requires_secrets: true }
    }

    /// The checks that are enabled where no layer says otherwise, each with its action, by id.
    pub fn checks(&self) -> impl Iterator<Item = (&'static Check, Action)> {
        let enabled = self.settings.enabled.iter().filter(|enabled| enabled.action != Action::Off);
        enabled.map(|enabled| (enabled.check, self.settings.layers.limited(enabled.action)))
    }

    /// The enabled checks, each with the strictest action that it has for some write, by id.
    pub fn strictest(&self) -> impl Iterator<Item = (&'static Check, Action)> {
        self.settings.enabled.iter().map(|enabled| (enabled.check, enabled.strictest))
    }

    /// The parts of the configuration that have no effect at `now`, each with its position.
    pub fn ineffective(&self, now: Timestamp) -> Vec<ConfigError> {
        ineffective::ineffective(&self.settings, now)
    }

    /// The selectors of the configuration that select none of these namespaces, each with its position.
    pub fn unmatched(&self, cluster: &Cluster, namespaces: &BTreeSet<String>) -> Vec<ConfigError> {
        ineffective::unmatched(&self.settings.config, cluster, namespaces)
    }

    /// Whether something in the configuration depends on the labels of Namespaces.
    pub fn needs_labels(&self) -> bool {
        needs_labels(&self.settings, |_| true)
    }

    /// The labels by which these namespaces of a cluster choose a profile that does not exist, so that they have no effect.
    pub fn mislabeled<'n>(&self, cluster: &Cluster, namespaces: impl IntoIterator<Item = &'n str>) -> Vec<ConfigError> {
        ineffective::mislabeled(&self.settings.config, cluster, namespaces)
    }

    /// Which action each check has for a write, and why. The class of `subject` is the only class of the object.
    pub fn decide(&self, subject: &Subject<'_>, cluster: &Overlay<'_>, now: Timestamp) -> Decisions {
        decision::decide(&self.settings, subject, cluster, now)
    }

    /// Checks `object` (for a deletion, the deleted object). Findings that `old` already has only warn; `old` is only
    /// called if there is something to compare.
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

    /// Checks an object that is already stored. `manifest` lists what an API server would reject in the manifest as
    /// written.
    pub fn check_stored(
        &self,
        partial: &Partial<'_>,
        manifest: &ManifestErrors,
        view: &dyn View,
        write: &Write<'_>,
    ) -> Outcome {
        let mut evaluation = Evaluation::new(&self.settings, view, write);
        evaluation.run_unreadable(partial);
        let Some(object) = &partial.object else {
            evaluation.run_manifest(None, manifest);
            return evaluation.outcome(|_| false);
        };
        evaluation.run(object);
        evaluation.run_manifest(Some(object), manifest);
        evaluation.finish(object)
    }

    /// Checks an object that a write has stored. Findings that `old`, the object before the write, already has only warn.
    pub fn check_written(
        &self,
        partial: &Partial<'_>,
        old: Option<&Object<'_>>,
        view: &dyn View,
        write: &Write<'_>,
    ) -> Outcome {
        let mut evaluation = Evaluation::new(&self.settings, view, write);
        evaluation.run_unreadable(partial);
        let Some(object) = &partial.object else { return evaluation.outcome(|_| false) };
        evaluation.run(object);
        if let Some(old) = old {
            evaluation.mark_preexisting(object, old);
        }
        evaluation.finish(object)
    }

    /// The findings by which an object loses requests, or others lose requests to it, since a write has changed `old` to `object`, whose
    /// operation `write` has. The view shows the object as it is stored.
    pub fn new_losses(
        &self,
        object: &Object<'_>,
        old: Option<&Object<'_>>,
        view: &dyn View,
        write: &Write<'_>,
    ) -> Vec<Finding> {
        let of = |object: &Object<'_>| {
            let mut evaluation = Evaluation::new(&self.settings, view, write);
            evaluation.run_conflicts(object);
            evaluation.outcome(|_| false)
        };
        let is_loss = |finding: &Finding| finding.loses || finding.takings.iter().flatten().next().is_some();
        let is_reported =
            |evaluated: &EvaluatedFinding| is_loss(&evaluated.finding) && evaluated.action >= Action::Warn;
        let mut losses: Vec<Finding> =
            of(object).findings.into_iter().filter(is_reported).map(|evaluated| evaluated.finding).collect();
        let Some(old) = old.filter(|_| !losses.is_empty()) else { return losses };
        let before = of(old);
        // Findings that were not kept may be among the losses.
        if !before.omitted_findings.is_empty() {
            return Vec::new();
        }
        // Of a claim, the other object may differ; a finding without a claim is identified by its value.
        let is_same = |before: &Finding, finding: &Finding| {
            let is_same_value = finding.claim.is_some() || before.value == finding.value;
            before.check == finding.check && before.claim == finding.claim && is_same_value
        };
        losses.retain_mut(|finding| {
            let before = before.findings.iter().map(|evaluated| &evaluated.finding);
            let before: Vec<&Finding> = before.filter(|before| is_same(before, finding)).collect();
            let is_known = |taking: &Taking| {
                before
                    .iter()
                    .flat_map(|before| before.takings.iter().flatten())
                    .any(|before| before.loser == taking.loser)
            };
            finding.takings.iter_mut().for_each(|takings| takings.retain(|taking| !is_known(taking)));
            is_loss(finding) && (!finding.loses || !before.iter().any(|before| before.loses))
        });
        losses
    }

    /// Checks an object that could only be decoded in part: reports the undecodable fields, and checks the rest.
    pub fn check_partial(
        &self,
        partial: &Partial<'_>,
        before: &Before<'_>,
        view: &dyn View,
        write: &Write<'_>,
    ) -> Outcome {
        self.check_applied(partial, &ManifestErrors::default(), before, view, write)
    }

    /// Checks a manifest as the write that would apply it, as [`check_partial`](Self::check_partial) does. `manifest` lists
    /// what an API server would reject in the manifest as written.
    pub fn check_applied(
        &self,
        partial: &Partial<'_>,
        manifest: &ManifestErrors,
        before: &Before<'_>,
        view: &dyn View,
        write: &Write<'_>,
    ) -> Outcome {
        let mut evaluation = Evaluation::new(&self.settings, view, write);
        evaluation.run_unreadable(partial);
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
        evaluation.run_manifest(partial.object.as_ref(), manifest);
        match &partial.object {
            Some(object) => evaluation.finish(object),
            None => evaluation.outcome(|_| false),
        }
    }
}

/// The state before the update of an object that can only be decoded in part.
#[derive(Debug)]
pub enum Before<'a> {
    /// There was no object, or it could only be decoded in part too. Every finding is new.
    Incomparable,
    /// Equal to the new object in everything that is checked.
    Same,
    /// The decoded old object.
    Other(Box<Object<'a>>),
}

/// Whether a check can find anything: it has no option without which it finds nothing, or one of these is set.
fn can_find(enabled: &Enabled, layers: &Layers) -> bool {
    let required = enabled.check.options.iter().filter(|option| matches!(option, CheckOption::RequireOneOf(_)));
    let required: Vec<&str> = required.map(CheckOption::name).collect();
    let mut set = enabled.options.names().chain(layers.option_names(enabled.index));
    required.is_empty() || set.any(|name| required.contains(&name))
}
