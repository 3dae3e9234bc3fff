//! What is known of Ingress controllers: whether all Ingresses of a class share one load balancer, and which host a load balancer prefers.
//!
//! A data plane is what serves a request: one proxy, or one load balancer. Most controllers have one for each class. Some build one for
//! each Ingress, so that two of their Ingresses never compete unless an annotation puts them into one group.

use crate::kinds::{Entries, Ingress};
use crate::names::glob;

/// One controller about which something is known.
#[derive(Debug)]
pub struct Controller {
    /// The values of `spec.controller` by which an IngressClass names it.
    names: &'static [&'static str],
    /// The class names by which it is known where no IngressClass says which controller a class has.
    classes: &'static [&'static str],
    /// The annotations that no other controller reads; a trailing `*` stands for anything.
    annotations: &'static [&'static str],
    /// Which of its Ingresses share a load balancer.
    pub sharing: Sharing,
    /// Whether Ingresses without a class are its own, unless it is told otherwise.
    pub serves_classless: bool,
    /// Whether a rule for a wildcard host may be asked before one for a precise host that it covers.
    pub is_wildcard_first: bool,
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

/// Each with its own documentation or source as the witness.
const CONTROLLERS: &[Controller] = &[
    // AWS Load Balancer Controller, and the one of EKS Auto Mode: an Ingress without a group is a group of its own. Rules are asked in the
    // order of the group, whatever their hosts.
    Controller {
        names: &["ingress.k8s.aws/alb", "eks.amazonaws.com/alb"],
        classes: &["alb"],
        annotations: &["alb.ingress.kubernetes.io/*"],
        sharing: Sharing::Group("alb.ingress.kubernetes.io/group.name"),
        serves_classless: false,
        is_wildcard_first: true,
    },
    // GKE: one load balancer for each Ingress. It reads the class annotation only, and serves an Ingress that has neither annotation nor field.
    Controller {
        names: &["k8s.io/ingress-gce"],
        classes: &["gce", "gce-internal"],
        annotations: &[
            "networking.gke.io/*",
            "ingress.gcp.kubernetes.io/*",
            "kubernetes.io/ingress.global-static-ip-name",
            "kubernetes.io/ingress.regional-static-ip-name",
            "ingress.kubernetes.io/url-map",
            "ingress.kubernetes.io/forwarding-rule",
        ],
        sharing: Sharing::Nothing,
        serves_classless: false,
        is_wildcard_first: false,
    },
    // The operator of Tailscale: a device, or a service of a proxy group, for each Ingress.
    Controller {
        names: &["tailscale.com/ts-ingress"],
        classes: &["tailscale"],
        annotations: &["tailscale.com/*"],
        sharing: Sharing::Nothing,
        serves_classless: false,
        is_wildcard_first: false,
    },
    // Octavia of OpenStack: one load balancer for each Ingress.
    Controller {
        names: &[],
        classes: &["openstack"],
        annotations: &["octavia.ingress.kubernetes.io/*"],
        sharing: Sharing::Nothing,
        serves_classless: false,
        is_wildcard_first: false,
    },
    // Tencent: one for each Ingress, but for those that name an existing one.
    Controller {
        names: &[],
        classes: &["qcloud"],
        annotations: &["ingress.cloud.tencent.com/*", "kubernetes.io/ingress.existLbId"],
        sharing: Sharing::Group("kubernetes.io/ingress.existLbId"),
        serves_classless: false,
        is_wildcard_first: false,
    },
    // Huawei: one for each Ingress, but for those that name an existing one.
    Controller {
        names: &[],
        classes: &["cce"],
        annotations: &["kubernetes.io/elb.*"],
        sharing: Sharing::Group("kubernetes.io/elb.id"),
        serves_classless: false,
        is_wildcard_first: false,
    },
    // Yandex: Ingresses of one group share one.
    Controller {
        names: &["ingress.alb.yc.io/yc-alb-ingress-controller"],
        classes: &["yc-alb"],
        annotations: &["ingress.alb.yc.io/*"],
        sharing: Sharing::Group("ingress.alb.yc.io/group-name"),
        serves_classless: false,
        is_wildcard_first: false,
    },
    // Traefik: without an ingressClass of its own it serves Ingresses that name no class. The longest rule is asked first, and the regular
    // expression of a wildcard is longer than a name.
    Controller {
        names: &["traefik.io/ingress-controller"],
        classes: &["traefik"],
        annotations: &["traefik.ingress.kubernetes.io/*"],
        sharing: Sharing::Class,
        serves_classless: true,
        is_wildcard_first: true,
    },
    // Contour: without a class of its own it serves what names none, or `contour`.
    Controller {
        names: &["projectcontour.io/ingress-controller", "projectcontour.io/contour"],
        classes: &["contour"],
        annotations: &["projectcontour.io/*"],
        sharing: Sharing::Class,
        serves_classless: true,
        is_wildcard_first: false,
    },
];

/// The controller that an IngressClass names by `spec.controller`.
pub fn controller_named(name: &str) -> Option<&'static Controller> {
    CONTROLLERS.iter().find(|controller| controller.names.contains(&name))
}

/// The controller that is known by the name of its class.
pub fn controller_of_class(class: &str) -> Option<&'static Controller> {
    CONTROLLERS.iter().find(|controller| controller.classes.contains(&class))
}

/// What the annotations of an Ingress say of its load balancer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balancer {
    /// The position of the controller that reads them.
    controller: u8,
    /// The group that the Ingress shares a load balancer with.
    group: Option<Box<str>>,
}

impl Balancer {
    /// What the annotations of `ingress` say, if they are those of a controller that builds load balancers for Ingresses.
    pub fn of(ingress: &Ingress<'_>) -> Option<Box<Self>> {
        let annotations = &ingress.metadata.annotations;
        let is_read = |controller: &Controller| controller.sharing != Sharing::Class && controller.reads(annotations);
        let position = CONTROLLERS.iter().position(is_read)?;
        let group = match CONTROLLERS[position].sharing {
            Sharing::Group(key) => annotations.get(key).map(|group| group.trim()).filter(|group| !group.is_empty()),
            Sharing::Class | Sharing::Nothing => None,
        };
        Some(Box::new(Self { controller: u8::try_from(position).ok()?, group: group.map(Box::from) }))
    }

    /// The controller that reads the annotations.
    pub fn controller(&self) -> &'static Controller {
        &CONTROLLERS[usize::from(self.controller)]
    }

    /// The group in which Ingresses share a load balancer of `controller`.
    pub fn group_of(&self, controller: &Controller) -> Option<&str> {
        if std::ptr::eq(self.controller(), controller) { self.group.as_deref() } else { None }
    }
}

impl Controller {
    fn reads(&self, annotations: &Entries<'_>) -> bool {
        annotations.iter().any(|(key, _)| self.annotations.iter().any(|pattern| glob(pattern, key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_class_and_annotation_belongs_to_one_controller() {
        for list in [|one: &Controller| one.names, |one: &Controller| one.classes, |one: &Controller| one.annotations] {
            let mut all: Vec<_> = CONTROLLERS.iter().flat_map(list).collect();
            let number = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), number, "{all:?}");
        }
    }

    #[test]
    fn the_annotation_of_a_group_is_read_by_its_controller() {
        for controller in CONTROLLERS {
            if let Sharing::Group(key) = controller.sharing {
                assert!(controller.annotations.iter().any(|pattern| glob(pattern, key)), "{key}");
            }
        }
    }
}
