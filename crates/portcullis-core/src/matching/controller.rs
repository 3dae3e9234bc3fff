//! What is known of controllers: by which names an IngressClass or a GatewayClass says that one serves it, and how it serves Ingresses.
//!
//! A data plane is what serves a request: one proxy, or one load balancer. Most controllers have one for each class. Some build one for
//! each Ingress, so that two of their Ingresses never compete unless an annotation puts them into one group.

use super::rule_order::RuleOrder;
use crate::kinds::Entries;
use crate::names::glob;

/// A controller whose annotations the tables of this crate name, or any other that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controller {
    /// The ALB controller of Alibaba Cloud.
    Alibaba,
    /// The AWS Load DataPlaneHints Controller, and the one of EKS Auto Mode.
    Aws,
    /// The Application Gateway Ingress Controller of Azure.
    Azure,
    /// Application Gateway for Containers of Azure.
    AzureContainers,
    /// Cilium.
    Cilium,
    /// NetScaler, once Citrix.
    Citrix,
    /// Contour.
    Contour,
    /// Container Ingress Services by F5, for BIG-IP.
    F5BigIp,
    /// NGINX Ingress Controller by F5.
    F5Nginx,
    /// HAProxy Kubernetes Ingress Controller by HAProxy Technologies.
    HaproxyTech,
    /// HAProxy Ingress by the community.
    HaproxyIngress,
    /// Higress.
    Higress,
    /// The load balancers of Huawei Cloud.
    Huawei,
    /// The ingress-nginx of the Kubernetes community.
    IngressNginx,
    /// Kong.
    Kong,
    /// The native Ingress controller of Oracle Cloud.
    Oracle,
    /// Skipper.
    Skipper,
    /// The operator of Tailscale.
    Tailscale,
    /// The load balancers of Tencent Cloud.
    Tencent,
    /// Traefik.
    Traefik,
    /// A controller that is known, and reads none of the annotations.
    Other,
}

use Controller::{
    Alibaba, Aws, Azure, AzureContainers, Cilium, Citrix, Contour, F5BigIp, F5Nginx, HaproxyIngress, HaproxyTech,
    Higress, Huawei, IngressNginx, Kong, Oracle, Other, Skipper, Tailscale, Tencent, Traefik,
};

/// What is known of one controller.
#[derive(Debug)]
pub struct ControllerTraits {
    /// Which it is.
    pub controller: Controller,
    /// How the `controller` of an IngressClass, or the `controllerName` of a GatewayClass, begins.
    names: &'static [&'static str],
    /// The class names by which it is known where no IngressClass says which controller a class has.
    classes: &'static [&'static str],
    /// Those of its annotations by which an Ingress is known to be written for it; a trailing `*` stands for anything. They are listed for
    /// controllers that build load balancers.
    annotations: &'static [&'static str],
    /// Which of its Ingresses share a load balancer.
    pub sharing: Sharing,
    /// Whether it serves Ingresses without a class beside those of its class, unless it is told otherwise.
    pub serves_classless: bool,
    /// Whether the proxy of its Ingresses serves its Gateways, too, unless it is told otherwise.
    pub serves_gateways: bool,
    /// In which order it has rules asked.
    pub order: RuleOrder,
}

/// Which Ingresses of one controller share a load balancer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// All Ingresses of a class.
    Class,
    /// Those with the same value of this annotation, whatever their class; an Ingress without it has one of its own.
    Group(&'static str),
    /// None.
    Nothing,
}

/// A controller with one proxy for all Ingresses of a class.
const fn proxy(
    controller: Controller,
    names: &'static [&'static str],
    classes: &'static [&'static str],
) -> ControllerTraits {
    ControllerTraits {
        controller,
        names,
        classes,
        annotations: &[],
        sharing: Sharing::Class,
        serves_classless: false,
        serves_gateways: false,
        order: RuleOrder::Host,
    }
}

/// A controller that builds load balancers for Ingresses with these `annotations`.
const fn balancers(
    controller: Controller,
    sharing: Sharing,
    names: &'static [&'static str],
    classes: &'static [&'static str],
    annotations: &'static [&'static str],
) -> ControllerTraits {
    ControllerTraits { annotations, sharing, ..proxy(controller, names, classes) }
}

/// Each with its own documentation or source as the witness.
static PROFILES: &[ControllerTraits] = &[
    // AWS Load DataPlaneHints Controller, and the one of EKS Auto Mode: an Ingress without a group is a group of its own. Rules are asked in the
    // order of the group, whatever their hosts.
    ControllerTraits {
        order: RuleOrder::Group,
        ..balancers(
            Aws,
            Sharing::Group("alb.ingress.kubernetes.io/group.name"),
            &["eks.amazonaws.com/alb", "gateway.k8s.aws/", "ingress.k8s.aws/"],
            &["alb"],
            &["alb.ingress.kubernetes.io/*"],
        )
    },
    // GKE: one load balancer for each Ingress. It reads the class annotation only, and serves an Ingress that has neither annotation nor field.
    // `kubernetes.io/ingress.allow-http` tells nothing, since policies demand it of Ingresses of any controller.
    balancers(
        Other,
        Sharing::Nothing,
        &["k8s.io/ingress-gce", "networking.gke.io/"],
        &["gce", "gce-internal"],
        &[
            "networking.gke.io/*",
            "ingress.gcp.kubernetes.io/*",
            "kubernetes.io/ingress.global-static-ip-name",
            "kubernetes.io/ingress.regional-static-ip-name",
            "ingress.kubernetes.io/url-map",
            "ingress.kubernetes.io/forwarding-rule",
        ],
    ),
    // The operator of Tailscale: a device, or a service of a proxy group, for each Ingress.
    balancers(Tailscale, Sharing::Nothing, &["tailscale.com/"], &["tailscale"], &["tailscale.com/*"]),
    // Octavia of OpenStack: one load balancer for each Ingress.
    balancers(Other, Sharing::Nothing, &[], &["openstack"], &["octavia.ingress.kubernetes.io/*"]),
    // Voyager: an HAProxy for each Ingress.
    balancers(Other, Sharing::Nothing, &[], &["voyager"], &["ingress.appscode.com/*"]),
    // Tencent: one for each Ingress, but for those that name an existing one.
    balancers(
        Tencent,
        Sharing::Group("kubernetes.io/ingress.existLbId"),
        &[],
        &["qcloud"],
        &["ingress.cloud.tencent.com/*", "kubernetes.io/ingress.existLbId"],
    ),
    // Huawei: one for each Ingress, but for those that name an existing one.
    balancers(Huawei, Sharing::Group("kubernetes.io/elb.id"), &[], &["cce"], &["kubernetes.io/elb.*"]),
    // Yandex: Ingresses of one group share one.
    balancers(
        Other,
        Sharing::Group("ingress.alb.yc.io/group-name"),
        &["ingress.alb.yc.io/"],
        &["yc-alb"],
        &["ingress.alb.yc.io/*"],
    ),
    // Traefik: without an ingressClass of its own it serves Ingresses that name no class. The longest rule is asked first, unless
    // annotations give it a priority, and the regular expression of a wildcard is longer than a name.
    ControllerTraits {
        serves_classless: true,
        serves_gateways: true,
        order: RuleOrder::Priority,
        ..proxy(Traefik, &["traefik.io/"], &["traefik"])
    },
    // Contour: without a class of its own it serves what names none, or `contour`. Its provisioner gives each Gateway an Envoy of its own.
    ControllerTraits {
        serves_classless: true,
        serves_gateways: true,
        ..proxy(Contour, &["projectcontour.io/"], &["contour"])
    },
    proxy(Alibaba, &["ingress.k8s.alibabacloud/"], &[]),
    proxy(Azure, &["azure/application-gateway"], &["azure-application-gateway", "azure/application-gateway"]),
    proxy(AzureContainers, &["alb.networking.azure.io/"], &["azure-alb-external"]),
    proxy(Cilium, &["cilium.io/", "io.cilium/"], &["cilium"]),
    proxy(Citrix, &["citrix.com/"], &["citrix", "netscaler"]),
    proxy(F5BigIp, &["f5.com/"], &["f5"]),
    // Its class is usually called as that of ingress-nginx.
    proxy(F5Nginx, &["nginx.org/"], &[]),
    // The class of both is usually called the same; the other one reads none of the annotations that keep Ingresses of a class apart.
    proxy(HaproxyIngress, &["haproxy-ingress.github.io/"], &["haproxy", "haproxy-ingress"]),
    proxy(HaproxyTech, &["haproxy.org/"], &[]),
    proxy(Higress, &["higress.io/", "mse.alibabacloud.com/"], &["higress", "mse"]),
    proxy(
        IngressNginx,
        &["k8s.io/ingress-nginx", "webapprouting.kubernetes.azure.com/"],
        &["addon-http-application-routing", "ingress-nginx", "nginx", "webapprouting.kubernetes.azure.com"],
    ),
    // Its operator gives each Gateway a proxy of its own.
    ControllerTraits {
        serves_gateways: true,
        ..proxy(Kong, &["ingress-controllers.konghq.com/", "konghq.com/"], &["kong"])
    },
    proxy(Oracle, &["oci.oraclecloud.com/"], &["native-ic"]),
    proxy(Skipper, &["zalando.org/"], &["skipper"]),
    proxy(Other, &["ako.vmware.com/"], &["avi-lb"]),
    proxy(Other, &["apisix.apache.org/"], &["apisix"]),
    proxy(Other, &["application-networking.k8s.aws/"], &[]),
    proxy(Other, &["gateway.envoyproxy.io/"], &[]),
    proxy(Other, &["gateway.nginx.org/"], &[]),
    proxy(Other, &["getambassador.io/"], &["ambassador"]),
    proxy(Other, &["istio.io/"], &["istio"]),
    proxy(Other, &["k8s.ngrok.com/"], &["ngrok"]),
    proxy(Other, &["kgateway.dev/"], &[]),
    proxy(Other, &["openshift.io/"], &["openshift-default"]),
    proxy(Other, &["pomerium.io/"], &["pomerium"]),
    proxy(Other, &["strrl.dev/"], &["cloudflare-tunnel"]),
];

impl Controller {
    /// The controller that a class names; `None` for a text that is not in the table, since an operator may choose any.
    pub fn of(text: &str) -> Option<Self> {
        ControllerTraits::named(text).map(|profile| profile.controller)
    }
}

impl ControllerTraits {
    /// That of the controller that a class names.
    pub fn named(text: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.names.iter().any(|start| text.starts_with(start)))
    }

    /// That of the controller that is known by the name of its class.
    pub fn of_class(class: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.classes.contains(&class))
    }

    /// That of the proxy after which a class seems to be called, as `nginx-internal` is: one word of the name is that of a class.
    pub fn suggested_by(class: &str) -> Option<&'static Self> {
        let mut words = class.split(|letter: char| !letter.is_ascii_alphanumeric());
        let of_word = |word: &str| {
            Self::of_class(word)
                .or_else(|| Self::of_class(word.trim_end_matches(|letter: char| letter.is_ascii_digit())))
        };
        words.find_map(of_word).filter(|profile| profile.sharing == Sharing::Class)
    }

    /// The profile at a [position](Self::position_of).
    pub fn at(position: u8) -> &'static Self {
        &PROFILES[usize::from(position)]
    }

    /// The position of the controller for which an Ingress with these annotations is written, among those that build load balancers.
    pub fn position_of(annotations: &Entries<'_>) -> Option<u8> {
        let is_read = |profile: &Self| annotations.iter().any(|(key, _)| profile.knows(key));
        PROFILES.iter().position(is_read).and_then(|position| u8::try_from(position).ok())
    }

    /// Whether the parameters of a class may put its Ingresses into one group, whatever their annotations say: `spec.group` of an
    /// IngressClassParams, a kind that is not read here.
    pub fn groups_by_parameters(&self) -> bool {
        self.controller == Aws
    }

    fn knows(&self, key: &str) -> bool {
        self.annotations.iter().any(|pattern| glob(pattern, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_class_and_annotation_belongs_to_one_controller() {
        for list in [
            |one: &ControllerTraits| one.names,
            |one: &ControllerTraits| one.classes,
            |one: &ControllerTraits| one.annotations,
        ] {
            let mut all: Vec<_> = PROFILES.iter().flat_map(list).collect();
            let number = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), number, "{all:?}");
        }
    }

    #[test]
    fn no_name_hides_another() {
        for profile in PROFILES {
            for name in profile.names {
                assert!(std::ptr::eq(ControllerTraits::named(name).expect("a profile"), profile), "{name}");
            }
        }
        assert_eq!(Controller::of("acme.example.com/ingress"), None);
    }

    #[test]
    fn the_annotation_of_a_group_is_known_as_its_controllers() {
        for profile in PROFILES {
            if let Sharing::Group(key) = profile.sharing {
                assert!(profile.knows(key), "{key}");
            }
        }
    }

    #[test]
    fn a_class_may_be_called_after_a_proxy() {
        let controller = |class| ControllerTraits::suggested_by(class).map(|profile| profile.controller);
        assert_eq!(controller("nginx-internal"), Some(IngressNginx));
        assert_eq!(controller("team.public-traefik2"), Some(Traefik));
        assert_eq!(controller("public-traefik"), Some(Traefik));
        assert_eq!(controller("internal-alb"), None);
        assert_eq!(controller("public"), None);
    }
}
