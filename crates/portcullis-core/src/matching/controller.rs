//! What is known of controllers: the names by which an IngressClass or a GatewayClass identifies them, and how they
//! serve Ingresses.
//!
//! A data plane is what serves a request: one proxy, or one load balancer. Most controllers have one for each class.
//! Some create one for each Ingress, so that two of their Ingresses never compete unless an annotation puts them into
//! one group.

use super::rule_order::RuleOrder;
use crate::kinds::Entries;
use crate::names::glob;

/// A controller whose annotations appear in the tables of this crate, or another known controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controller {
    /// The ALB controller of Alibaba Cloud.
    Alibaba,
    /// APISIX.
    Apisix,
    /// The AWS Load Balancer Controller, and the controller of EKS Auto Mode.
    Aws,
    /// The Application Gateway Ingress Controller of Azure.
    Azure,
    /// Application Gateway for Containers of Azure.
    AzureContainers,
    /// Cilium.
    Cilium,
    /// NetScaler, formerly Citrix.
    Citrix,
    /// Contour.
    Contour,
    /// Container Ingress Services by F5, for BIG-IP.
    F5BigIp,
    /// NGINX Ingress Controller by F5.
    F5Nginx,
    /// The load balancers of GKE.
    Gke,
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
    /// A known controller that reads none of the annotations.
    Other,
}

use Controller::{
    Alibaba, Apisix, Aws, Azure, AzureContainers, Cilium, Citrix, Contour, F5BigIp, F5Nginx, Gke, HaproxyIngress,
    HaproxyTech, Higress, Huawei, IngressNginx, Kong, Oracle, Other, Skipper, Tailscale, Tencent, Traefik,
};

/// What is known of one controller.
#[derive(Debug)]
pub struct ControllerTraits {
    /// The controller.
    pub controller: Controller,
    /// The prefixes of the `controller` of an IngressClass, or of the `controllerName` of a GatewayClass.
    names: &'static [&'static str],
    /// The class names that identify the controller if no IngressClass specifies the controller of the class.
    pub classes: &'static [&'static str],
    /// The annotations that show that an Ingress is written for this controller; a trailing `*` matches any text. They
    /// are listed only for controllers that create load balancers.
    annotations: &'static [&'static str],
    /// Which of its Ingresses share a load balancer.
    pub sharing: Sharing,
    /// Whether it serves Ingresses without a class beside those of its class, unless it is configured otherwise.
    pub serves_classless: bool,
    /// Whether the proxy of its Ingresses also serves its Gateways, unless it is configured otherwise.
    pub serves_gateways: bool,
    /// The order in which it evaluates rules.
    pub order: RuleOrder,
}

/// Which Ingresses of one controller share a load balancer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// All Ingresses of a class.
    Class,
    /// Ingresses with the same value of this annotation, regardless of their class. An Ingress without the annotation
    /// has its own load balancer.
    Group(&'static str),
    /// Each Ingress has its own load balancer.
    Nothing,
}

/// Returns a controller with one proxy for all Ingresses of a class.
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

/// Returns a controller of which one proxy serves Ingresses and Gateways.
const fn with_gateways(traits: ControllerTraits) -> ControllerTraits {
    ControllerTraits { serves_gateways: true, ..traits }
}

/// Returns a controller that creates load balancers for Ingresses with these `annotations`.
const fn balancers(
    controller: Controller,
    sharing: Sharing,
    names: &'static [&'static str],
    classes: &'static [&'static str],
    annotations: &'static [&'static str],
) -> ControllerTraits {
    ControllerTraits { annotations, sharing, ..proxy(controller, names, classes) }
}

/// The name of the controller of an application gateway, and of its class.
const AZURE: &str = "azure/application-gateway";

/// Each entry follows the documentation or source code of the controller.
static PROFILES: &[ControllerTraits] = &[
    // AWS Load Balancer Controller, and the controller of EKS Auto Mode: an Ingress without a group is its own group.
    // Rules are evaluated in the order of the group, regardless of their hosts.
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
    // GKE: one load balancer for each Ingress. It reads only the class annotation, and serves an Ingress that has
    // neither annotation nor field. `kubernetes.io/ingress.allow-http` is not listed, since policies require it on
    // Ingresses of any controller.
    balancers(
        Gke,
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
    // Tailscale operator: a device, or a service of a proxy group, for each Ingress.
    balancers(Tailscale, Sharing::Nothing, &["tailscale.com/"], &["tailscale"], &["tailscale.com/*"]),
    // Octavia of OpenStack: one load balancer for each Ingress.
    balancers(Other, Sharing::Nothing, &[], &["openstack"], &["octavia.ingress.kubernetes.io/*"]),
    // Voyager: one HAProxy for each Ingress.
    balancers(Other, Sharing::Nothing, &[], &["voyager"], &["ingress.appscode.com/*"]),
    // Tencent: one load balancer for each Ingress, except those that name an existing one.
    balancers(
        Tencent,
        Sharing::Group("kubernetes.io/ingress.existLbId"),
        &[],
        &["qcloud"],
        &["ingress.cloud.tencent.com/*", "kubernetes.io/ingress.existLbId"],
    ),
    // Huawei: one load balancer for each Ingress, except those that name an existing one. Rules of Ingresses with an order
    // are evaluated first, regardless of their hosts.
    ControllerTraits {
        order: RuleOrder::Numbered,
        ..balancers(Huawei, Sharing::Group("kubernetes.io/elb.id"), &[], &["cce"], &["kubernetes.io/elb.*"])
    },
    // Yandex: Ingresses of one group share a load balancer.
    balancers(
        Other,
        Sharing::Group("ingress.alb.yc.io/group-name"),
        &["ingress.alb.yc.io/"],
        &["yc-alb"],
        &["ingress.alb.yc.io/*"],
    ),
    // Traefik: unless it has an ingressClass of its own, it serves Ingresses that name no class. The longest rule is
    // evaluated first, unless annotations set a priority. The regular expression of a wildcard is longer than a name.
    ControllerTraits {
        serves_classless: true,
        order: RuleOrder::Priority,
        ..with_gateways(proxy(Traefik, &["traefik.io/"], &["traefik"]))
    },
    // Contour: unless it has a class of its own, also objects without one. Its provisioner creates an Envoy for each Gateway.
    ControllerTraits { serves_classless: true, ..with_gateways(proxy(Contour, &["projectcontour.io/"], &["contour"])) },
    // Rules are evaluated in the order of their Ingresses, regardless of their hosts.
    ControllerTraits { order: RuleOrder::Ranked, ..proxy(Alibaba, &["ingress.k8s.alibabacloud/"], &[]) },
    ControllerTraits { order: RuleOrder::Listener, ..proxy(Azure, &[AZURE], &["azure-application-gateway", AZURE]) },
    proxy(AzureContainers, &["alb.networking.azure.io/"], &["azure-alb-external"]),
    proxy(Cilium, &["cilium.io/", "io.cilium/"], &["cilium"]),
    proxy(Citrix, &["citrix.com/"], &["citrix", "netscaler"]),
    proxy(F5BigIp, &["f5.com/"], &["f5"]),
    // No class names are listed, because its class usually has the same name as that of ingress-nginx.
    proxy(F5Nginx, &["nginx.org/"], &[]),
    // The classes of this and the next controller usually have the same name. Only this one reads annotations that separate Ingresses.
    with_gateways(proxy(HaproxyIngress, &["haproxy-ingress.github.io/"], &["haproxy", "haproxy-ingress"])),
    proxy(HaproxyTech, &["haproxy.org/"], &[]),
    proxy(Higress, &["higress.io/", "mse.alibabacloud.com/"], &["higress", "mse"]),
    proxy(
        IngressNginx,
        &["k8s.io/ingress-nginx", "webapprouting.kubernetes.azure.com/"],
        &["addon-http-application-routing", "ingress-nginx", "nginx", "webapprouting.kubernetes.azure.com"],
    ),
    // Its operator creates a proxy for each Gateway. The rule with the most conditions is tried first, with a host or without.
    ControllerTraits {
        order: RuleOrder::Fields,
        ..with_gateways(proxy(Kong, &["ingress-controllers.konghq.com/", "konghq.com/"], &["kong"]))
    },
    proxy(Oracle, &["oci.oraclecloud.com/"], &["native-ic"]),
    ControllerTraits { order: RuleOrder::Path, ..proxy(Skipper, &["zalando.org/"], &["skipper"]) },
    proxy(Other, &["ako.vmware.com/"], &["avi-lb"]),
    // A GatewayProxy may give a Gateway an APISIX of its own.
    with_gateways(proxy(Apisix, &["apisix.apache.org/"], &["apisix"])),
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

/// Controllers whose classes often have the names by which the first of each pair is known.
const NAMESAKES: &[(Controller, Controller)] =
    &[(Aws, Alibaba), (HaproxyIngress, HaproxyTech), (IngressNginx, F5Nginx), (IngressNginx, Higress)];

impl Controller {
    /// The controller that a class names; `None` if the text is not in the table, since an operator may choose any.
    pub fn of(text: &str) -> Option<Self> {
        ControllerTraits::named(text).map(|profile| profile.controller)
    }

    /// Whether one of these controllers may serve a class with this name, if no IngressClass specifies the controller of the
    /// class. A name that identifies no controller may belong to any.
    pub fn may_serve(class: &str, controllers: &[Self]) -> bool {
        let Some(usual) = ControllerTraits::of_class(class).map(|profile| profile.controller) else { return true };
        let is_namesake = |controller| NAMESAKES.contains(&(usual, controller));
        controllers.iter().any(|controller| *controller == usual || is_namesake(*controller))
    }
}

impl ControllerTraits {
    /// The traits of the controller that a class names.
    pub fn named(text: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.names.iter().any(|start| text.starts_with(start)))
    }

    /// The traits of the controller that the name of its class identifies.
    pub fn of_class(class: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.classes.contains(&class))
    }

    /// The traits of the proxy that the name of a class suggests, as in `nginx-internal`: one word of the name is the
    /// name of its class. A text that is too long for the name of an object suggests none, whatever its words.
    pub fn suggested_by(class: &str) -> Option<&'static Self> {
        let class = Some(class).filter(|class| class.len() <= crate::message::NAME)?;
        let mut words = class.split(|letter: char| !letter.is_ascii_alphanumeric());
        let without_number = |word: &str| Self::of_class(word.trim_end_matches(char::is_numeric));
        let suggested = words.find_map(|word| Self::of_class(word).or_else(|| without_number(word)));
        suggested.filter(|profile| profile.sharing == Sharing::Class)
    }

    /// The class names that identify a controller.
    pub fn class_names() -> impl Iterator<Item = &'static str> {
        PROFILES.iter().flat_map(|profile| profile.classes).copied()
    }

    /// The controllers that serve Ingresses without a class beside those of their class.
    pub fn serving_classless() -> impl Iterator<Item = &'static Self> {
        PROFILES.iter().filter(|profile| profile.serves_classless)
    }

    /// The position in the table of controllers.
    pub fn position(&self) -> Option<u8> {
        PROFILES.iter().position(|profile| std::ptr::eq(profile, self)).and_then(|position| u8::try_from(position).ok())
    }

    /// The traits at a [position](Self::position_of).
    pub fn at(position: u8) -> &'static Self {
        &PROFILES[usize::from(position)]
    }

    /// The position of the controller for which an Ingress with these annotations is written, among those that create
    /// load balancers.
    pub fn position_of(annotations: &Entries<'_>) -> Option<u8> {
        let is_read = |profile: &Self| annotations.iter().any(|(key, _)| profile.knows(key));
        PROFILES.iter().position(is_read).and_then(|position| u8::try_from(position).ok())
    }

    /// Whether the parameters of a class may put its Ingresses into one group, regardless of their annotations:
    /// `spec.group` of an IngressClassParams, a kind that Portcullis does not read.
    pub fn groups_by_parameters(&self) -> bool {
        self.controller == Aws
    }

    /// The annotations that name a group of Ingresses, each with the controller that reads it.
    pub fn groups() -> impl Iterator<Item = (&'static str, Controller)> {
        PROFILES.iter().filter_map(|profile| match profile.sharing {
            Sharing::Group(key) => Some((key, profile.controller)),
            Sharing::Class | Sharing::Nothing => None,
        })
    }

    /// The groups that these annotations name, each with the position of the controller that reads it.
    pub fn groups_in<'e>(annotations: &'e Entries<'_>) -> impl Iterator<Item = (u8, &'e str)> {
        (0..).zip(PROFILES).filter_map(|(position, profile)| {
            let Sharing::Group(key) = profile.sharing else { return None };
            let group = annotations.get(key)?.trim();
            (!group.is_empty()).then_some((position, group))
        })
    }

    /// The annotations that show for which controller an Ingress is written.
    pub fn suggestions() -> impl Iterator<Item = (&'static str, Controller)> {
        PROFILES.iter().flat_map(|profile| profile.annotations.iter().map(|key| (*key, profile.controller)))
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
        let lists: [fn(&ControllerTraits) -> &'static [&'static str]; 3] =
            [|one| one.names, |one| one.classes, |one| one.annotations];
        for list in lists {
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
    fn the_name_of_a_class_rules_out_all_but_namesakes() {
        assert!(Controller::may_serve("nginx", &[IngressNginx]) && Controller::may_serve("nginx", &[Kong, F5Nginx]));
        assert!(!Controller::may_serve("nginx", &[Kong, Gke]) && !Controller::may_serve("kong", &[IngressNginx]));
        assert!(Controller::may_serve("public", &[Kong]) && Controller::may_serve("nginx-internal", &[Kong]));
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
        assert_eq!(controller(&"nginx-".repeat(50)), None);
    }
}
