//! The facts of a Service.

use crate::kinds::{Kind, ObjectRef, Service};

/// The facts of a Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceFacts {
    /// The namespace.
    pub namespace: Box<str>,
    /// The name.
    pub name: Box<str>,
    /// Whether its type is `ExternalName`, an alias for an external host.
    pub external: bool,
    /// The ports: name (if it has one) and number.
    pub ports: Box<[(Option<Box<str>>, i64)]>,
    /// The indexes of the ports whose protocol is not TCP.
    pub not_tcp: Box<[u32]>,
    /// The IP addresses and hostnames of its load balancer.
    pub load_balancer: Box<[Box<str>]>,
    /// The addresses inside the cluster.
    pub cluster_ips: Box<[Box<str>]>,
}

impl ServiceFacts {
    /// The reference to the Service.
    pub fn object_ref(&self) -> ObjectRef {
        ObjectRef::new(Kind::Service, &self.namespace, &self.name)
    }

    /// Whether this is the Service with this namespace and name.
    pub fn is_at(&self, namespace: &str, name: &str) -> bool {
        *self.name == *name && *self.namespace == *namespace
    }

    /// The number of the port `name`.
    pub fn port_named(&self, name: &str) -> Option<i64> {
        self.ports.iter().find(|(own, _)| own.as_deref() == Some(name)).map(|(_, number)| *number)
    }

    /// Whether it has a port with this number.
    pub fn has_port(&self, number: i64) -> bool {
        self.ports.iter().any(|(_, own)| *own == number)
    }

    /// Whether it may have a port with this number. A Service that lists no ports (`ExternalName`, headless) may have
    /// any port.
    pub fn may_have_port(&self, number: i64) -> bool {
        self.ports.is_empty() || self.has_port(number)
    }

    /// Whether one of the ports that `applies` selects accepts TCP connections; `None` if it selects no port.
    pub fn takes_tcp(&self, applies: impl Fn(Option<&str>, i64) -> bool) -> Option<bool> {
        let meant = self.ports.iter().zip(0..).filter(|((name, number), _)| applies(name.as_deref(), *number));
        meant.map(|(_, position)| !self.not_tcp.contains(&position)).reduce(|one, other| one || other)
    }

    /// Whether it has a port with this number that does not use TCP.
    pub fn takes_datagrams(&self, number: i64) -> bool {
        let applies = |position: &u32| self.ports.get(*position as usize).is_some_and(|(_, own)| *own == number);
        self.not_tcp.iter().any(applies)
    }

    /// A readable list of its ports, by name or (if a port has no name) by number: `web, 443`.
    pub fn port_names(&self) -> String {
        let name = |(name, number): &(Option<Box<str>>, i64)| name.as_deref().map_or(number.to_string(), str::to_owned);
        self.ports.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// A readable list of its port numbers: `80, 443`.
    pub fn port_numbers(&self) -> String {
        self.ports.iter().map(|(_, number)| number.to_string()).collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn of_service(service: &Service<'_>) -> ServiceFacts {
    let ports = service.spec.ports.iter().map(|port| (port.name.as_deref().map(Box::from), port.port));
    let entries = service.status.load_balancer.ingress.iter();
    let load_balancer =
        entries.flat_map(|entry| [&entry.ip, &entry.hostname]).flatten().filter(|text| !text.is_empty());
    let cluster_ips = service.spec.cluster_ips.iter().filter(|address| !matches!(&***address, "" | "None"));
    let not_tcp = service.spec.ports.iter().zip(0..).filter(|(port, _)| !port.is_tcp()).map(|(_, position)| position);
    ServiceFacts {
        namespace: service.metadata.namespace().into(),
        name: service.metadata.name().into(),
        external: service.spec.kind.as_deref() == Some("ExternalName"),
        ports: ports.collect(),
        not_tcp: not_tcp.collect(),
        load_balancer: load_balancer.map(|address| Box::from(&**address)).collect(),
        cluster_ips: cluster_ips.map(|address| Box::from(&**address)).collect(),
    }
}
