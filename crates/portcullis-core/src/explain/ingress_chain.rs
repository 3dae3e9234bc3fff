//! The chain of an Ingress: class, host, path and backend.

use super::answer::{ChainLink, Winner};
use super::backends;
use super::candidate::Candidate;
use super::ingress_source::{ANNOTATIONS, DEFAULT_BACKEND, Defaulted, Source};
use crate::cluster::{Lookup, Overlay};
use crate::field::{At, FieldPath};
use crate::kinds::ingress::Backend;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// The rule or the default backend that answers.
pub(super) struct MatchedIngressRule<'c, 'w> {
    pub(super) source: &'c Source<'w>,
    /// The controller of its class, if known.
    pub(super) controller: Option<&'w str>,
    /// The matching host, and the index of its rule.
    pub(super) host: Option<(&'c Host<'w>, usize)>,
    /// The annotation that adds the host, if any.
    pub(super) alias: Option<&'w str>,
    /// The matching path; `None` for the default backend.
    pub(super) path: Option<&'c Candidate<'w>>,
    pub(super) backend: &'w Backend<'w>,
}

impl MatchedIngressRule<'_, '_> {
    /// The result with its chain.
    pub(super) fn winner(&self, cluster: &Overlay<'_>) -> Winner {
        let object_ref = self.source.object_ref;
        let mut chain = vec![self.class(cluster)];
        let link = |field: FieldPath, message: String| ChainLink { object: object_ref.clone(), field, message };
        if let Some((host, rule)) = self.host {
            let message = if *host == Host::Any { "every host".to_owned() } else { format!("host {host}") };
            let rule = FieldPath::from(At::element("spec.rules[]", [rule]));
            chain.push(match self.alias {
                Some(key) => link(At::field(ANNOTATIONS).key(key), format!("{message}, beside that of {rule}")),
                None => link(rule, message),
            });
        }
        let field = match self.path {
            Some(path) => {
                chain.push(link(path.field.into(), path.path_in_words()));
                path.field.into()
            }
            None => {
                let field = FieldPath::from(At::field(DEFAULT_BACKEND));
                chain.push(link(field.clone(), "answers what no rule takes".to_owned()));
                field
            }
        };
        let (backends, last) = backends::of_ingress(self.backend, object_ref, cluster);
        chain.extend(last);
        let response = backends::action(self.backend);
        Winner { object: object_ref.clone(), field, is_default: self.path.is_none(), response, backends, chain }
    }

    fn class(&self, cluster: &Overlay<'_>) -> ChainLink {
        let Some(name) = self.source.class else {
            let (object, field) = (self.source.object_ref.clone(), At::field("spec.ingressClassName").into());
            let message = match self.source.served_by {
                Some(class) => format!("names no class: the controller of class {class} serves it too"),
                None => "has no class, and no IngressClass is the default: each controller decides whether to serve it"
                    .to_owned(),
            };
            return ChainLink { object, field, message };
        };
        let default = if self.source.defaulted == Defaulted::Yes { "the default class, " } else { "" };
        let message = match (self.controller, cluster.ingress_class(name)) {
            (Some(controller), _) => format!("{default}controller {controller}"),
            (None, Lookup::Absent) if self.source.ingress.spec.ingress_class_name.as_deref() == Some(name) => {
                "not found, so most controllers ignore the Ingress".to_owned()
            }
            // Of the annotation, a controller may know a value that is not the name of any class.
            (None, Lookup::Absent) => "there is no such class".to_owned(),
            (None, _) => "it is not known whether there is such a class".to_owned(),
        };
        ChainLink { object: ObjectRef::new(Kind::IngressClass, "", name), field: FieldPath::default(), message }
    }
}
