//! Several backends with the same path: the annotations by which a controller defines which of them answers a request.

use crate::kinds::Ingress;
use crate::kinds::ingress::Backend;

/// Annotations that make several backends with the same path valid anywhere in the Ingress, each with its required
/// value, if any: weights of backends and conditions on requests (Skipper, Traefik 1, the nginx of Alibaba Cloud), and
/// TCP listeners, for which the port of the backend counts instead of the path (OCI).
const OF_INGRESS: &[(&str, Option<&str>)] = &[
    ("ingress.kubernetes.io/service-weights", None),
    ("nginx.ingress.kubernetes.io/service-match", None),
    ("nginx.ingress.kubernetes.io/service-weight", None),
    ("oci-native-ingress.oraclecloud.com/protocol", Some("TCP")),
    ("traefik.ingress.kubernetes.io/service-weights", None),
    ("zalando.org/backend-weights", None),
];

/// Annotations whose keys end with the name of a Service. Its backend answers only under conditions beyond the path
/// (AWS and Alibaba Cloud, Huawei Cloud).
const OF_SERVICE: &[&str] = &["alb.ingress.kubernetes.io/conditions.", "kubernetes.io/elb.conditions."];

/// Whether the controller defines which of two backends with the same path in `ingress` answers a request.
pub(super) fn is_shared(ingress: &Ingress<'_>, backends: [&Backend<'_>; 2]) -> bool {
    let annotations = &ingress.metadata.annotations;
    let applies = |(key, value): &(&str, Option<&str>)| {
        annotations.get(key).is_some_and(|written| value.is_none_or(|value| written.eq_ignore_ascii_case(value)))
    };
    let services = || backends.into_iter().filter_map(|backend| backend.service.as_ref());
    let is_condition = |key: &str| {
        let service = OF_SERVICE.iter().find_map(|prefix| key.strip_prefix(prefix));
        service.is_some_and(|named| services().any(|service| &*service.name == named))
    };
    OF_INGRESS.iter().any(applies) || annotations.iter().any(|(key, _)| is_condition(key))
}
