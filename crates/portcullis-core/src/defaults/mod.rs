//! What `/mutate` fills in: explicit edits of single fields, never a rewritten object, so that unknown fields survive.
//!
//! In come view types and what is known of the rest, out come [`Edits`]. No IO, no clock.

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
use crate::kinds::{Gateway, HttpProxy, Ingress, Kind, KindSet, Object};
use crate::operation::Operation;

pub use edit::{Edit, Edits};

/// One mutation. One file, one page beside it, one line in the registry.
#[derive(Debug)]
pub struct Defaulter {
    /// `family/what`; stands in the configuration and in warnings.
    pub id: &'static str,
    /// Whether it acts without being asked for.
    pub enabled: bool,
    /// The option of its setting in the configuration, if it has one; a defaulter that does not act without being asked for needs it.
    pub option: Option<&'static str>,
    /// The kinds that it looks up.
    pub needs: &'static [Kind],
    /// What it is, why, and examples that run as tests.
    pub page: &'static str,
    /// What it does, and to which kind.
    pub fill: Fill,
}

/// The function of a defaulter; one type for each kind that something is filled into.
#[derive(Debug, Clone, Copy)]
pub enum Fill {
    /// Into an Ingress.
    Ingress(fn(&Ingress<'_>, &Context<'_>, &mut Edits)),
    /// Into a Gateway.
    Gateway(fn(&Gateway<'_>, &Context<'_>, &mut Edits)),
    /// Into an HTTPProxy.
    HttpProxy(fn(&HttpProxy<'_>, &Context<'_>, &mut Edits)),
}

impl Fill {
    /// Whether it fills something into objects of `kind`.
    pub const fn is_for(self, kind: Kind) -> bool {
        match self {
            Self::Ingress(_) => matches!(kind, Kind::Ingress),
            Self::Gateway(_) => matches!(kind, Kind::Gateway),
            Self::HttpProxy(_) => matches!(kind, Kind::HttpProxy),
        }
    }
}

/// All that a defaulter may ask besides its object.
#[derive(Debug)]
pub struct Context<'r> {
    /// What happens to the object.
    pub operation: Operation,
    /// The rest of the cluster.
    pub cluster: &'r Overlay<'r>,
    /// The defaulter's options.
    pub options: &'r DefaultSetting,
    /// The configuration.
    pub config: &'r Config,
}

/// The defaulters of one configuration.
#[derive(Debug)]
pub struct Defaulters(Vec<(&'static Defaulter, DefaultSetting)>);

impl Defaulters {
    /// Those that the configuration has, each with its options.
    pub fn new(config: &Config) -> Self {
        let setting = |defaulter: &Defaulter| {
            let written = config.defaults.get(&Spanned::without_position(defaulter.id.to_owned()));
            written.cloned().unwrap_or(DefaultSetting { enabled: defaulter.enabled, ..DefaultSetting::default() })
        };
        let all = registry::ALL.iter().map(|defaulter| (*defaulter, setting(defaulter)));
        Self(all.filter(|(_, setting)| setting.enabled).collect())
    }

    /// The kinds that they look up.
    pub fn needs(&self) -> KindSet {
        self.0.iter().fold(KindSet::EMPTY, |set, (defaulter, _)| set.union(KindSet::of(defaulter.needs)))
    }

    /// What they fill in, in the order of the registry.
    pub fn fill(&self, object: &Object<'_>, operation: Operation, cluster: &Overlay<'_>, config: &Config) -> Edits {
        let mut edits = Edits::default();
        for (defaulter, options) in &self.0 {
            let context = Context { operation, cluster, options, config };
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
