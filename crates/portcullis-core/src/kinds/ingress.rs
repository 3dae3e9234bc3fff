//! `networking.k8s.io/v1` Ingress.

use serde::Deserialize;

use super::computed::Computed;
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
    LoadBalancerStatus,
    LoadBalancerIngress
);

/// An Ingress under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct Ingress<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: IngressSpec<'a>,
    /// The status that a controller published. Only commands that read stored objects check it.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub status: IngressStatus<'a>,
    /// For an object from a file that names no class: the default class that the API server's admission plugin would
    /// set on creation. It is not in `spec`, so that no message mentions a field that the file does not have.
    #[serde(skip)]
    pub default_class: Option<Text<'a>>,
    /// The annotations with an effect, in the order of the table of effects: positions of row and annotation.
    #[serde(skip)]
    pub effects: Computed<Vec<(usize, usize)>>,
}

/// The annotation that named the class before the field existed.
pub const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

impl Ingress<'_> {
    /// The annotations that name a class for some controller. All controllers read the first, and Contour also reads the
    /// second.
    pub const CLASS_ANNOTATIONS: [&'static str; 2] = [CLASS_ANNOTATION, "projectcontour.io/ingress.class"];

    /// The classes that may serve this Ingress, since controllers disagree on whether an annotation or the field takes
    /// precedence.
    pub fn classes(&self) -> Classes<'_> {
        let annotated = self.class_annotations().map(|(_, class)| class);
        let mut classes = Classes::default();
        let field = self.spec.ingress_class_name.as_deref().or(self.default_class.as_deref());
        annotated.chain(field).for_each(|class| classes.add(class));
        classes
    }

    /// The class that serves this Ingress according to the design document (KEP-758): the annotation, else the field,
    /// else none.
    pub fn class(&self) -> Option<&str> {
        self.classes().first()
    }

    /// Whether a class is named, even by an empty text. In this case, the API server sets no default.
    pub fn names_class(&self) -> bool {
        self.spec.ingress_class_name.is_some() || self.class_annotation().is_some()
    }

    /// The annotations that name a class, each with its key.
    pub fn class_annotations(&self) -> impl Iterator<Item = (&'static str, &str)> {
        Self::CLASS_ANNOTATIONS.into_iter().filter_map(|key| Some((key, &**self.metadata.annotations.get(key)?)))
    }

    /// The value of the deprecated class annotation.
    pub fn class_annotation(&self) -> Option<&str> {
        self.metadata.annotations.get(CLASS_ANNOTATION).map(|class| &**class)
    }
}

/// The maximum number of classes that one Ingress can name.
const MAX_CLASSES: usize = Ingress::CLASS_ANNOTATIONS.len() + 1;

/// The classes that an object names, each once. Most objects name one or none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Classes<'i>([Option<&'i str>; MAX_CLASSES]);

impl<'i> Classes<'i> {
    /// Returns the classes of an object that names at most one.
    pub fn of(class: Option<&'i str>) -> Self {
        let mut classes = Self::default();
        classes.0[0] = class;
        classes
    }

    /// The first class; `None` if the object names none.
    pub fn first(&self) -> Option<&'i str> {
        self.0[0]
    }

    /// All classes; a single `None` if the object names none.
    pub fn iter(self) -> impl Iterator<Item = Option<&'i str>> + Clone {
        let number = self.0.iter().flatten().count().max(1);
        self.0.into_iter().take(number)
    }

    /// Adds a class, unless it is empty or already present.
    fn add(&mut self, class: &'i str) {
        if !class.is_empty()
            && !self.0.contains(&Some(class))
            && let Some(free) = self.0.iter_mut().find(|slot| slot.is_none())
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
    /// The backend for requests that no rule matches.
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
    /// The Secret with the certificate.
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
    /// The paths. A rule without paths sends requests for its host to the default backend.
    #[serde(borrow)]
    pub http: Option<Http<'a>>,
}

impl<'a> IngressRule<'a> {
    /// The paths of the host; empty without `http`.
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
    /// The backend.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend: Backend<'a>,
}

impl HttpPath<'_> {
    /// The path as written, empty if it is absent, if its type is `Exact` or `Prefix`. Only for these types does the
    /// API specify the content of a path.
    pub fn exact_or_prefix(&self) -> Option<&str> {
        match self.path_type.as_deref() {
            Some("Exact" | "Prefix") => Some(self.path.as_deref().unwrap_or_default()),
            _ => None,
        }
    }
}

/// A Service or another resource in the same namespace.
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
    /// The Service, unless a resource is also present: then it is unknown which of the two is intended.
    pub fn only_service(&self) -> Option<&ServiceBackend<'a>> {
        self.service.as_ref().filter(|_| self.resource.is_none())
    }

    /// The resource, unless a Service is also present.
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

/// The port name by which the AWS Load Balancer Controller recognizes a backend that is one of its own actions, such as
/// a redirect. The service name of such a backend is the name of an annotation with the action, not of a Service.
const ACTION_PORT: &str = "use-annotation";

impl ServiceBackend<'_> {
    /// Whether it names an action of the controller instead of a Service.
    pub fn is_action(&self) -> bool {
        self.port.name() == Some(ACTION_PORT)
    }
}

/// A port by name or by number. The API server treats an empty name and 0 as absent.
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

/// A reference to an object in the same namespace by group, kind and name.
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
    /// The addresses at which it can be reached.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub load_balancer: LoadBalancerStatus<'a>,
}

/// `status.loadBalancer`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct LoadBalancerStatus<'a> {
    /// The published addresses.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub ingress: Vec<LoadBalancerIngress<'a>>,
}

/// One entry of `status.loadBalancer.ingress`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct LoadBalancerIngress<'a> {
    /// An IP address.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub ip: Option<Text<'a>>,
    /// A host name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub hostname: Option<Text<'a>>,
}
