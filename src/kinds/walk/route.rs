//! The elements of a route of any kind of the Gateway API.

use crate::field::At;
use crate::kinds::filter::Filter;
use crate::kinds::http_route::ValueMatch;
use crate::kinds::reference::{BackendRef, ParentRef};
use crate::kinds::route::{Route, Rule};

/// Each parent reference.
pub fn parent_refs<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, &'o ParentRef<'a>)> + use<'o, 'a> {
    let parents = route.parent_refs().iter().enumerate();
    parents.map(|(index, parent)| (At::element("spec.parentRefs[]", [index]), parent))
}

/// Each host, as written.
pub fn hostnames<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, &'o str)> + use<'o, 'a> {
    let hosts = route.hostnames().iter().enumerate();
    hosts.map(|(index, host)| (At::element("spec.hostnames[]", [index]), &**host))
}

/// Each rule.
pub fn rules<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, Rule<'o, 'a>)> + use<'o, 'a> {
    route.rules().enumerate().map(|(index, rule)| (At::element("spec.rules[]", [index]), rule))
}

/// A reference, of whatever sort, as far as all of them are alike.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'o> {
    /// Its address.
    pub at: At,
    /// The group, where it is written.
    pub group: Option<&'o str>,
    /// The kind, where it is written.
    pub kind: Option<&'o str>,
    /// The namespace, where it is written.
    pub namespace: Option<&'o str>,
    /// The name.
    pub name: &'o str,
    /// The port, where it is written.
    pub port: Option<i64>,
}

/// Each reference: to parents, to backends, to filters of the implementation.
pub fn references<'o>(route: &Route<'o, '_>) -> impl Iterator<Item = Reference<'o>> {
    let parents = parent_refs(route).map(|(at, parent)| Reference {
        at,
        group: parent.group.as_deref(),
        kind: parent.kind.as_deref(),
        namespace: parent.namespace.as_deref(),
        name: &parent.name,
        port: parent.port,
    });
    let backends = backend_refs(route).map(|(at, backend, _)| Reference {
        at,
        group: backend.group.as_deref(),
        kind: backend.kind.as_deref(),
        namespace: backend.namespace.as_deref(),
        name: &backend.name,
        port: backend.port,
    });
    let extensions = filters(route).filter_map(|site| {
        let extension = site.filter.extension_ref.as_deref()?;
        let (group, kind) = (extension.group.as_deref(), extension.kind.as_deref());
        Some(Reference { at: site.place.extension(), group, kind, namespace: None, name: &extension.name, port: None })
    });
    parents.chain(backends).chain(extensions)
}

/// What a backend reference is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It answers requests of its rule.
    Answers,
    /// It gets a copy of them.
    Mirrors,
    /// It decides about them.
    Authorises,
}

/// Each backend reference: those of a rule first, then those of its filters, then those of its backends' filters.
pub fn backend_refs<'o, 'a>(
    route: &Route<'o, 'a>,
) -> impl Iterator<Item = (At, &'o BackendRef<'a>, Role)> + use<'o, 'a> {
    let of_rules = route.rules().enumerate().flat_map(|(rule_index, rule)| {
        let backends = rule.backend_refs.iter().enumerate();
        backends.map(move |(index, backend)| {
            (At::element("spec.rules[].backendRefs[]", [rule_index, index]), backend, Role::Answers)
        })
    });
    let of_filters = filters(route).flat_map(|site| {
        let mirror = site.filter.request_mirror.as_deref().map(|mirror| (&mirror.backend_ref, Role::Mirrors));
        let auth = site.filter.external_auth.as_deref().map(|auth| (&auth.backend_ref, Role::Authorises));
        mirror.into_iter().chain(auth).map(move |(backend, role)| (site.place.backend_of_filter(role), backend, role))
    });
    of_rules.chain(of_filters)
}

/// A filter and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct FilterSite<'o, 'a> {
    /// The filter.
    pub filter: &'o Filter<'a>,
    /// Where.
    pub place: FilterPlace,
}

impl FilterSite<'_, '_> {
    /// Its address.
    pub fn at(&self) -> At {
        self.place.at()
    }
}

/// Where a filter stands. Most filters have no fault, so that an address is made only where one is found.
#[derive(Debug, Clone, Copy)]
pub struct FilterPlace {
    /// The position of its rule.
    pub rule: usize,
    /// The position of its backend, if it stands in one.
    pub backend: Option<usize>,
    /// Its position in its list.
    pub index: usize,
}

impl FilterPlace {
    /// The address of the filter.
    pub fn at(self) -> At {
        self.below("spec.rules[].filters[]", "spec.rules[].backendRefs[].filters[]")
    }

    /// The address of the extension that it names.
    fn extension(self) -> At {
        self.below("spec.rules[].filters[].extensionRef", "spec.rules[].backendRefs[].filters[].extensionRef")
    }

    /// The address of the backend that it names.
    fn backend_of_filter(self, role: Role) -> At {
        match role {
            Role::Authorises => self.below(
                "spec.rules[].filters[].externalAuth.backendRef",
                "spec.rules[].backendRefs[].filters[].externalAuth.backendRef",
            ),
            Role::Answers | Role::Mirrors => self.below(
                "spec.rules[].filters[].requestMirror.backendRef",
                "spec.rules[].backendRefs[].filters[].requestMirror.backendRef",
            ),
        }
    }

    /// The address of this pattern: the one for filters of rules, or the one for filters of backends.
    fn below(self, of_rule: &'static str, of_backend: &'static str) -> At {
        match self.backend {
            None => At::element(of_rule, [self.rule, self.index]),
            Some(backend) => At::element(of_backend, [self.rule, backend, self.index]),
        }
    }
}

/// Each filter: of a rule, or of one of its backends.
pub fn filters<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = FilterSite<'o, 'a>> + use<'o, 'a> {
    let mut lists = FilterLists::of(*route);
    let (mut filters, mut place) = ([].iter(), FilterPlace { rule: 0, backend: None, index: 0 });
    // Dozens of checks walk here, so it is not left to nested adapters.
    std::iter::from_fn(move || {
        loop {
            if let Some(filter) = filters.next() {
                let site = FilterSite { filter, place };
                place.index += 1;
                return Some(site);
            }
            let list = lists.next()?;
            filters = list.filters.iter();
            place = FilterPlace { rule: list.rule, backend: list.backend, index: 0 };
        }
    })
}

/// A list of filters and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct FilterList<'o, 'a> {
    /// The filters.
    pub filters: &'o [Filter<'a>],
    /// The position of the rule.
    pub rule: usize,
    /// The position of the backend, if they stand in one.
    pub backend: Option<usize>,
}

impl FilterList<'_, '_> {
    /// Their address.
    pub fn at(&self) -> At {
        match self.backend {
            None => At::element("spec.rules[].filters", [self.rule]),
            Some(backend) => At::element("spec.rules[].backendRefs[].filters", [self.rule, backend]),
        }
    }

    /// The address of the filter at `index`.
    pub fn element(&self, index: usize) -> At {
        FilterPlace { rule: self.rule, backend: self.backend, index }.at()
    }
}

/// Each list of filters that is not empty: of a rule, then of its backends.
pub fn filter_lists<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = FilterList<'o, 'a>> + use<'o, 'a> {
    FilterLists::of(*route)
}

struct FilterLists<'o, 'a> {
    route: Route<'o, 'a>,
    /// How many rules are begun.
    rules: usize,
    /// The backends of the last of them that are yet to come, and how many there were before.
    backends: std::slice::Iter<'o, BackendRef<'a>>,
    before: usize,
}

impl<'o, 'a> FilterLists<'o, 'a> {
    fn of(route: Route<'o, 'a>) -> Self {
        Self { route, rules: 0, backends: [].iter(), before: 0 }
    }
}

impl<'o, 'a> Iterator for FilterLists<'o, 'a> {
    type Item = FilterList<'o, 'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            for backend in self.backends.by_ref() {
                let index = self.before;
                self.before += 1;
                if !backend.filters.is_empty() {
                    return Some(FilterList { filters: &backend.filters, rule: self.rules - 1, backend: Some(index) });
                }
            }
            let (filters, backends) = self.route.filtered(self.rules)?;
            (self.backends, self.before) = (backends.iter(), 0);
            self.rules += 1;
            if !filters.is_empty() {
                return Some(FilterList { filters, rule: self.rules - 1, backend: None });
            }
        }
    }
}

/// Each header that a match asks for, with the positions of its rule, its match and itself.
pub fn header_matches<'o, 'a>(
    route: &Route<'o, 'a>,
) -> impl Iterator<Item = (At, &'o ValueMatch<'a>, [usize; 3])> + use<'o, 'a> {
    route.rules().enumerate().flat_map(|(rule_index, rule)| {
        (0..rule.match_count()).flat_map(move |match_index| {
            rule.headers(match_index).iter().enumerate().map(move |(index, header)| {
                let positions = [rule_index, match_index, index];
                (At::element("spec.rules[].matches[].headers[]", positions), header, positions)
            })
        })
    })
}
