//! The chain of an Ingress: class, host, path and backend.

use super::answer::{ChainLink, Winner};
use super::candidate::Candidate;
use super::ingress::{Dialect, f5_nginx, gke, kong};
use super::ingress_source::{ANNOTATIONS, DEFAULT_BACKEND, Defaulted, Source};
use super::not_evaluated::NotEvaluated;
use super::outcome::{Failure, Forward, Reply, RequestOutcome};
use super::request::Request;
use super::{backends, not_evaluated};
use crate::cluster::{Lookup, Overlay};
use crate::field::{At, FieldPath};
use crate::kinds::ingress::Backend;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::{Host, Readers};
use crate::routing::controllers;

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
    /// The result for `request` with its chain.
    pub(super) fn winner(&self, request: &Request, cluster: &Overlay<'_>) -> Winner {
        let object_ref = self.source.object_ref;
        let mut chain = vec![class(self.source, self.controller, cluster)];
        let link = |field: FieldPath, message: String| ChainLink { object: object_ref.clone(), field, message };
        if let Some((host, rule)) = self.host {
            let message = if *host == Host::Any { "every host".to_owned() } else { format!("host {host}") };
            let rule = FieldPath::from(At::element("spec.rules[]", [rule]));
            chain.push(match self.alias {
                Some(key) => link(At::field(ANNOTATIONS).key(key), format!("{message}, in addition to that of {rule}")),
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
                chain.push(link(field.clone(), "answers requests that no rule matches".to_owned()));
                field
            }
        };
        let (backends, last) = backends::of_ingress(self.backend, object_ref, cluster);
        chain.extend(last);
        let reply = match backends::action(self.backend) {
            Some(action) => Reply::Unknown(action),
            None => Reply::Forward(Box::new(Forward::unchanged(backends, Failure::Unspecified, request))),
        };
        let not_evaluated = self.not_evaluated(request, cluster);
        let outcome = RequestOutcome { reply, not_evaluated, by_origin: Vec::new() };
        Winner { object: object_ref.clone(), field, is_default: self.path.is_none(), outcome, chain }
    }

    /// What the Ingress asks for that is not evaluated. Whether plain HTTP is redirected to HTTPS is up to
    /// the controller.
    fn not_evaluated(&self, request: &Request, cluster: &Overlay<'_>) -> Vec<NotEvaluated> {
        let ingress = self.source.ingress;
        let class = self.source.served_by.or(self.source.class);
        let readers = controllers::of_classes(std::iter::once(class), cluster);
        let readers = readers.first().copied().unwrap_or(Readers::Any);
        let dialect = Dialect::of_class(class, cluster);
        let annotations = &ingress.metadata.annotations;
        let is_evaluated = |key: &str| match dialect {
            Dialect::Specified | Dialect::Contour | Dialect::Traefik => false,
            Dialect::F5Nginx => f5_nginx::evaluates(key),
            Dialect::Gke => gke::evaluates(key),
            Dialect::Kong => kong::evaluates(key, annotations, request),
        };
        let mut named = not_evaluated::annotations(annotations, readers);
        named.retain(|named| !matches!(named, NotEvaluated::Annotation(key) if is_evaluated(key)));
        if !request.is_secure && !ingress.spec.tls.is_empty() && dialect.may_redirect() {
            named.push(NotEvaluated::Other("redirect from HTTP to HTTPS because of spec.tls".to_owned()));
        }
        named
    }
}

/// The step from the class of an Ingress, whose controller is `controller` if known.
pub(super) fn class(source: &Source<'_>, controller: Option<&str>, cluster: &Overlay<'_>) -> ChainLink {
    let Some(name) = source.class else {
        let (object, field) = (source.object_ref.clone(), At::field("spec.ingressClassName").into());
        let message = match source.served_by {
            Some(class) => format!("has no class; the controller of class {class} serves it, too"),
            None => "has no class, and no IngressClass is the default: each controller decides whether to serve it"
                .to_owned(),
        };
        return ChainLink { object, field, message };
    };
    let default = if source.defaulted == Defaulted::Yes { "the default class, " } else { "" };
    let message = match (controller, cluster.ingress_class(name)) {
        (Some(controller), _) => format!("{default}controller {controller}"),
        (None, Lookup::Absent) if source.ingress.spec.ingress_class_name.as_deref() == Some(name) => {
            "not found, so most controllers ignore the Ingress".to_owned()
        }
        // Of the annotation, a controller may know a value that is not the name of any class.
        (None, Lookup::Absent) => "the class does not exist".to_owned(),
        (None, _) => "it is not known whether the class exists".to_owned(),
    };
    ChainLink { object: ObjectRef::new(Kind::IngressClass, "", name), field: FieldPath::default(), message }
}
