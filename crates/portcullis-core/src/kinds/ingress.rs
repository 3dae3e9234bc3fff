//! `networking.k8s.io/v1` Ingress.

use serde::Deserialize;

use super::{Metadata, Text, integer_or_none, null_is_default, shape::maps_only, text_or_empty, text_or_none};

maps_only!(
    Ingress,
    IngressSpec,
    Tls,
    IngressRule,
    Http,
    HttpPath,
    Backend,
    ServiceBackend,
    BackendPort,
    TypedRef,
    IngressStatus,
    LoadBalancer,
    LoadBalancerPoint
);

/// An Ingress under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct Ingress<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// What is asked for.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: IngressSpec<'a>,
    /// What a controller published; judged by the offline doors only.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub status: IngressStatus<'a>,
    /// Of an object from a file that names no class: the class that the API server's admission gives it when it is created.
    #[serde(skip)]
    pub default_class: Option<Text<'a>>,
}

/// The annotation that named a class before there was a field.
pub const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

/// The annotations that name a class for some controller: all of them read the first, Contour the second as well.
const CLASS_ANNOTATIONS: [&str; 2] = [CLASS_ANNOTATION, "projectcontour.io/ingress.class"];

impl Ingress<'_> {
    /// The classes that may serve this Ingress, since controllers disagree on whether an annotation or the field wins.
    pub fn classes(&self) -> Classes<'_> {
        let annotated = self.class_annotations().map(|(_, class)| class);
        let mut classes = Classes::default();
        let field = self.spec.ingress_class_name.as_deref().or(self.default_class.as_deref());
        annotated.chain(field).for_each(|class| classes.add(class));
        classes
    }

    /// The class that serves this Ingress by the design document (KEP-758): the annotation, else the field, else none.
    pub fn class(&self) -> Option<&str> {
        self.classes().first()
    }

    /// Whether a class is named, be it by an empty text: the API server fills in no default then.
    pub fn names_class(&self) -> bool {
        self.spec.ingress_class_name.is_some() || self.class_annotation().is_some()
    }

    /// The annotations that name a class, each with its key.
    pub fn class_annotations(&self) -> impl Iterator<Item = (&'static str, &str)> {
        CLASS_ANNOTATIONS.into_iter().filter_map(|key| Some((key, &**self.metadata.annotations.get(key)?)))
    }

    /// The value of the deprecated class annotation.
    pub fn class_annotation(&self) -> Option<&str> {
        self.metadata.annotations.get(CLASS_ANNOTATION).map(|class| &**class)
    }
}

/// The most classes that one Ingress can name.
const MAX_CLASSES: usize = CLASS_ANNOTATIONS.len() + 1;

/// The classes that an object names, each once; mostly one, or none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Classes<'i>([Option<&'i str>; MAX_CLASSES]);

impl<'i> Classes<'i> {
    /// Those of an object that names at most one.
    pub fn of(class: Option<&'i str>) -> Self {
        let mut classes = Self::default();
        classes.0[0] = class;
        classes
    }

    /// The first; `None` where none is named.
    pub fn first(&self) -> Option<&'i str> {
        self.0[0]
    }

    /// Each of them; one `None` where none is named.
    pub fn iter(self) -> impl Iterator<Item = Option<&'i str>> + Clone {
        let number = self.0.iter().flatten().count().max(1);
        self.0.into_iter().take(number)
    }

    /// Adds one, unless it is there or empty, which names none.
    fn add(&mut self, class: &'i str) {
        if !class.is_empty()
            && !self.0.contains(&Some(class))
            && let Some(free) = self.0.iter_mut().find(|object_ref| object_ref.is_none())
        {
            *free = Some(class);
        }
    }
}

/// `spec` of an Ingress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct IngressSpec<'a> {
    /// The class that serves it.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub ingress_class_name: Option<Text<'a>>,
    /// What answers a request that no rule matches.
    #[serde(borrow)]
    pub default_backend: Option<Backend<'a>>,
    /// Hosts and the Secrets with their certificates.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub tls: Vec<Tls<'a>>,
    /// Hosts and their paths.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub rules: Vec<IngressRule<'a>>,
}

/// One entry of `spec.tls`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct Tls<'a> {
    /// The names that the certificate covers.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub hosts: Vec<Text<'a>>,
    /// The Secret that holds it.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub secret_name: Option<Text<'a>>,
}

/// One entry of `spec.rules`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct IngressRule<'a> {
    /// A precise host, a wildcard, or nothing for every host.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub host: Option<Text<'a>>,
    /// The paths; a rule without sends its host to the default backend.
    #[serde(borrow)]
    pub http: Option<Http<'a>>,
}

impl<'a> IngressRule<'a> {
    /// The paths of the host; none where there is no `http`.
    pub fn paths(&self) -> &[HttpPath<'a>] {
        self.http.as_ref().map_or(&[], |http| &http.paths)
    }
}

/// `http` of a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct Http<'a> {
    /// The paths of the host.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub paths: Vec<HttpPath<'a>>,
}

/// One entry of `http.paths`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct HttpPath<'a> {
    /// The path, as written.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub path: Option<Text<'a>>,
    /// `Exact`, `Prefix` or `ImplementationSpecific`, as written.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub path_type: Option<Text<'a>>,
    /// What answers it.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend: Backend<'a>,
}

impl HttpPath<'_> {
    /// The path as written, empty where it is absent, if its type is `Exact` or `Prefix`: the types for which the API says what may
    /// stand in a path.
    pub fn exact_or_prefix(&self) -> Option<&str> {
        match self.path_type.as_deref() {
            Some("Exact" | "Prefix") => Some(self.path.as_deref().unwrap_or_default()),
            _ => None,
        }
    }
}

/// A Service or another resource of the same namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct Backend<'a> {
    /// A Service and its port.
    #[serde(borrow)]
    pub service: Option<ServiceBackend<'a>>,
    /// Any other object.
    #[serde(borrow)]
    pub resource: Option<TypedRef<'a>>,
}

impl<'a> Backend<'a> {
    /// The Service, unless a resource stands beside it: then the only question is which of the two is meant.
    pub fn only_service(&self) -> Option<&ServiceBackend<'a>> {
        self.service.as_ref().filter(|_| self.resource.is_none())
    }

    /// The resource, unless a Service stands beside it.
    pub fn only_resource(&self) -> Option<&TypedRef<'a>> {
        self.resource.as_ref().filter(|_| self.service.is_none())
    }
}

/// A Service and its port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct ServiceBackend<'a> {
    /// The Service's name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// Its port.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub port: BackendPort<'a>,
}

/// The port name by which the AWS Load DataPlaneHints Controller knows a backend that is an action of its own, such as a redirect: the name
/// beside it is that of an annotation with the action, not of a Service.
const ACTION_PORT: &str = "use-annotation";

impl ServiceBackend<'_> {
    /// Whether it names an action of the controller where others name a Service.
    pub fn is_action(&self) -> bool {
        self.port.name() == Some(ACTION_PORT)
    }
}

/// A port by name or by number; the API server counts an empty name and 0 as unset.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct BackendPort<'a> {
    /// The port's name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub name: Option<Text<'a>>,
    /// The port's number.
    #[serde(deserialize_with = "integer_or_none")]
    pub number: Option<i64>,
}

impl BackendPort<'_> {
    /// The name, if one is set.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref().filter(|name| !name.is_empty())
    }

    /// The number, if one is set.
    pub fn number(&self) -> Option<i64> {
        self.number.filter(|number| *number != 0)
    }
}

/// A reference to an object of the same namespace by group, kind and name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct TypedRef<'a> {
    /// The API group; absent for the core group.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub api_group: Option<Text<'a>>,
    /// The kind.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// The name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
}

/// `status` of an Ingress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct IngressStatus<'a> {
    /// Where it can be reached.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub load_balancer: LoadBalancer<'a>,
}

/// `status.loadBalancer`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct LoadBalancer<'a> {
    /// The published points of entry.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub ingress: Vec<LoadBalancerPoint<'a>>,
}

/// One entry of `status.loadBalancer.ingress`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct LoadBalancerPoint<'a> {
    /// An IP address.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub ip: Option<Text<'a>>,
    /// A host name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub hostname: Option<Text<'a>>,
}
