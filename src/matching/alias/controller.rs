//! Which controller a class belongs to, as far as its `controller` field tells.

/// A controller that reads annotations of this crate's table, or one that is known to read none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controller {
    /// The AWS Load Balancer Controller.
    Aws,
    /// The ALB controller of Alibaba Cloud.
    Alibaba,
    /// The Application Gateway Ingress Controller of Azure.
    Azure,
    /// Contour.
    Contour,
    /// NGINX Ingress Controller by F5.
    F5Nginx,
    /// HAProxy Kubernetes Ingress Controller by HAProxy Technologies.
    HaproxyTech,
    /// HAProxy Ingress by the community.
    HaproxyIngress,
    /// Higress.
    Higress,
    /// The ingress-nginx of the Kubernetes community.
    IngressNginx,
    /// Kong.
    Kong,
    /// Skipper.
    Skipper,
    /// Traefik.
    Traefik,
    /// A controller that is known, and reads none of the annotations.
    Other,
}

use Controller::{
    Alibaba, Aws, Azure, Contour, F5Nginx, HaproxyIngress, HaproxyTech, Higress, IngressNginx, Kong, Other, Skipper,
    Traefik,
};

/// How the `controller` of an IngressClass, or the `controllerName` of a GatewayClass, begins. In alphabetical order.
const KNOWN: &[(&str, Controller)] = &[
    ("ako.vmware.com/", Other),
    ("alb.networking.azure.io/", Other),
    ("apisix.apache.org/", Other),
    ("application-networking.k8s.aws/", Other),
    ("azure/application-gateway", Azure),
    ("cilium.io/", Other),
    ("citrix.com/", Other),
    ("f5.com/", Other),
    ("gateway.envoyproxy.io/", Other),
    ("gateway.k8s.aws/", Aws),
    ("gateway.nginx.org/", Other),
    ("getambassador.io/", Other),
    ("haproxy-ingress.github.io/", HaproxyIngress),
    ("haproxy.org/", HaproxyTech),
    ("higress.io/", Higress),
    ("ingress-controllers.konghq.com/", Kong),
    ("ingress.k8s.alibabacloud/", Alibaba),
    ("ingress.k8s.aws/", Aws),
    ("io.cilium/", Other),
    ("istio.io/", Other),
    ("k8s.io/ingress-nginx", IngressNginx),
    ("k8s.ngrok.com/", Other),
    ("kgateway.dev/", Other),
    ("konghq.com/", Kong),
    ("mse.alibabacloud.com/", Higress),
    ("networking.gke.io/", Other),
    ("nginx.org/", F5Nginx),
    ("oci.oraclecloud.com/", Other),
    ("openshift.io/", Other),
    ("pomerium.io/", Other),
    ("projectcontour.io/", Contour),
    ("strrl.dev/", Other),
    ("tailscale.com/", Other),
    ("traefik.io/", Traefik),
    ("webapprouting.kubernetes.azure.com/", IngressNginx),
    ("zalando.org/", Skipper),
];

impl Controller {
    /// The controller that a class names; `None` for a text that is not in the table, since an operator may choose any.
    pub fn of(text: &str) -> Option<Self> {
        KNOWN.iter().find(|(start, _)| text.starts_with(start)).map(|(_, controller)| *controller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_no_entry_hides_another() {
        assert!(KNOWN.is_sorted_by_key(|(start, _)| *start));
        for (start, controller) in KNOWN {
            assert_eq!(Controller::of(start), Some(*controller), "{start}");
        }
        assert_eq!(Controller::of("acme.example.com/ingress"), None);
    }
}
