//! The defaulters of `/mutate`. They edit single fields explicitly instead of rewriting the object, so that unknown
//! fields are preserved.
//!
//! A defaulter takes a view type and the rest of the cluster, and returns [`Edits`]. It does no IO and reads no clock.

pub mod edit;
mod gateway_default_class;
mod gateway_default_routability;
mod http_proxy_ingress_class_default;
mod ingress_default_class;
mod ingress_default_path;
mod ingress_default_path_type;
mod raw_field;
pub mod registry;

use crate::cluster::Overlay;
use crate::config::{Config, DefaultSetting, Spanned};
use crate::finding::Profile;
use crate::kinds::{Gateway, HttpProxy, Ingress, Kind, KindSet, Object};
use crate::operation::Operation;

pub use edit::{Edit, Edits};

/// One mutation. Each has one file, one page beside it, and one entry in the registry.
#[derive(Debug)]
pub struct Defaulter {
    /// The id, `family/default`, which the configuration and warnings use.
    pub id: &'static str,
    /// Whether the defaulter is on by default.
    pub enabled: bool,
    /// The option of the defaulter in the configuration, if any. It is required for a defaulter that is off by default.
    pub option: Option<&'static str>,
    /// The kinds that the defaulter looks up.
    pub needs: &'static [Kind],
    /// The Markdown page: what is filled in, why, and examples that run as tests.
    pub page: &'static str,
    /// The function of the defaulter, by kind.
    pub fill: Fill,
}

/// The function of a defaulter, by the kind of the object it edits.
#[derive(Debug, Clone, Copy)]
pub enum Fill {
    /// Edits an Ingress.
    Ingress(fn(&Ingress<'_>, &DefaultingContext<'_>, &mut Edits)),
    /// Edits a Gateway.
    Gateway(fn(&Gateway<'_>, &DefaultingContext<'_>, &mut Edits)),
    /// Edits an HTTPProxy.
    HttpProxy(fn(&HttpProxy<'_>, &DefaultingContext<'_>, &mut Edits)),
}

impl Fill {
    /// Whether the defaulter edits objects of `kind`.
    pub const fn is_for(self, kind: Kind) -> bool {
        match self {
            Self::Ingress(_) => matches!(kind, Kind::Ingress),
            Self::Gateway(_) => matches!(kind, Kind::Gateway),
            Self::HttpProxy(_) => matches!(kind, Kind::HttpProxy),
        }
    }
}

/// Everything a defaulter can use besides the object.
#[derive(Debug)]
pub struct DefaultingContext<'r> {
    /// The operation on the object.
    pub operation: Operation,
    /// The rest of the cluster.
    pub cluster: &'r Overlay<'r>,
    /// The options of this defaulter.
    pub options: &'r DefaultSetting,
    /// The configuration.
    pub config: &'r Config,
}

/// Whether the profile of all writes is `audit`, perhaps with a pinned release.
fn is_audit(config: &Config) -> bool {
    let name = config.profile.as_ref().and_then(|profile| profile.split('@').next());
    name == Some(Profile::Audit.name())
}

/// The enabled defaulters of one configuration, with their options.
#[derive(Debug)]
pub struct Defaulters(Vec<(&'static Defaulter, DefaultSetting)>);

impl Defaulters {
    /// The defaulters that the configuration enables. The profile `audit` changes no object, so with it only those that `defaults` names.
    pub fn new(config: &Config) -> Self {
        let may_fill = !is_audit(config);
        let setting = |defaulter: &Defaulter| {
            let written = config.defaults.get(&Spanned::without_position(defaulter.id.to_owned()));
            let enabled = defaulter.enabled && may_fill;
            written.cloned().unwrap_or(DefaultSetting { enabled, ..DefaultSetting::default() })
        };
        let all = registry::ALL.iter().map(|defaulter| (*defaulter, setting(defaulter)));
        Self(all.filter(|(_, setting)| setting.enabled).collect())
    }

    /// The kinds that they look up.
    pub fn needs(&self) -> KindSet {
        self.0.iter().fold(KindSet::EMPTY, |set, (defaulter, _)| set.union(KindSet::of(defaulter.needs)))
    }

    /// The edits of all defaulters to `object`, in the order of the registry.
    pub fn fill(&self, object: &Object<'_>, operation: Operation, cluster: &Overlay<'_>, config: &Config) -> Edits {
        let mut edits = Edits::default();
        for (defaulter, options) in &self.0 {
            let context = DefaultingContext { operation, cluster, options, config };
            match (defaulter.fill, object) {
                (Fill::Ingress(fill), Object::Ingress(ingress)) => fill(ingress, &context, &mut edits),
                (Fill::Gateway(fill), Object::Gateway(gateway)) => fill(gateway, &context, &mut edits),
                (Fill::HttpProxy(fill), Object::HttpProxy(proxy)) => fill(proxy, &context, &mut edits),
                _ => {}
            }
        }
        edits
    }
}
