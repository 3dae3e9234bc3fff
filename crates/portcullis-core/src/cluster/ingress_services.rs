//! The Services to which Ingresses send requests.

use crate::kinds::Ingress;
use crate::kinds::ingress::Backend;
use crate::kinds::size::MAX_ENTRIES;
use crate::matching::{Mark, route};

/// The Services of an Ingress with their ports, sorted, without duplicates and separated by spaces: `cart:80 pay:http`.
/// An Ingress may name thousands of Services, so they share one string.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IngressServices(Box<str>);

impl IngressServices {
    /// The Services of `ingress`; none of a canary, which has no requests of its own.
    pub fn of(ingress: &Ingress<'_>) -> Self {
        if Mark::of_ingress(ingress) == Mark::Canary {
            return Self::default();
        }
        let mut all: Vec<String> =
            route::of_ingress(ingress).iter().filter_map(|route| service_key(route.backend)).collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(MAX_ENTRIES);
        Self(all.join(" ").into())
    }

    /// The Service with its port, if there is only one.
    pub fn single(&self) -> Option<&str> {
        (!self.0.is_empty() && !self.0.contains(' ')).then_some(&self.0)
    }

    /// The Services, each with its port and its byte offset.
    pub(super) fn with_offsets(&self) -> impl Iterator<Item = (u32, &str)> {
        let services = self.0.split(' ').filter(|service| !service.is_empty());
        let mut next = 0;
        services.map_while(move |service| {
            let offset = u32::try_from(next).ok()?;
            next += service.len() + 1;
            Some((offset, service))
        })
    }

    /// The Service at an offset.
    pub(super) fn at(&self, offset: u32) -> Option<&str> {
        self.0.get(offset as usize..)?.split(' ').next()
    }
}

/// The Service and the port of a backend; `None` for other backends.
pub fn service_key(backend: &Backend<'_>) -> Option<String> {
    let service = backend.only_service()?;
    let name = &service.name;
    match (service.port.name(), service.port.number()) {
        (Some(port), _) => Some(format!("{name}:{port}")),
        (None, Some(port)) => Some(format!("{name}:{port}")),
        (None, None) => None,
    }
}
