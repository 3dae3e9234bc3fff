//! The finite number of regions of requests that a set of objects tells apart.

use std::collections::BTreeSet;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::hosts::{self, HostClass};
use super::paths;
use super::variants::{self, Variant};
use crate::explain::{Condition, Request, Scope, Snapshot};
use crate::matching::{Host, PathTest};

/// The characters of a parameter that are encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The maximum number of regions of one host.
const MAX_REGIONS: usize = 10_000;

/// Requests of which each rule answers all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Some of these requests, at least one; they have different paths and queries.
    pub examples: Vec<Request>,
}

/// The regions that some sets of objects tell apart, by everything that any of them names.
pub struct Regions<'s, 'w> {
    sides: Vec<(&'s Snapshot<'w>, &'s Scope)>,
    endpoints: Vec<(bool, u16)>,
}

impl<'s, 'w> Regions<'s, 'w> {
    /// The regions of requests at `endpoints`, each with whether it is over TLS and its port. Each set of objects has the data planes
    /// that are asked.
    pub fn new(sides: &[(&'s Snapshot<'w>, &'s Scope)], endpoints: &[(bool, u16)]) -> Self {
        Self { sides: sides.to_vec(), endpoints: endpoints.to_vec() }
    }

    /// The classes of hosts, each with an example.
    pub fn hosts(&self) -> Vec<(HostClass, String)> {
        let names: BTreeSet<Host<'_>> = self.sides.iter().flat_map(|(snapshot, scope)| snapshot.hosts(scope)).collect();
        hosts::classes(&names)
    }

    /// What the objects distinguish among the requests for `host`.
    pub(crate) fn distinctions(&self, host: &str) -> Distinctions<'s> {
        Distinctions(self.sides.iter().flat_map(|(snapshot, scope)| snapshot.conditions(host, scope)).collect())
    }

    /// The regions of requests for `host`. Fails with the reason if they are not known.
    pub fn of_host(&self, host: &str) -> Result<Vec<Region>, String> {
        self.examine(host).regions
    }

    /// The regions of requests for `host`, and the doubts about each side.
    pub(super) fn examine(&self, host: &str) -> HostRegions<'s> {
        let of_side = |(index, (snapshot, scope)): (usize, &(&'s Snapshot<'w>, &'s Scope))| {
            snapshot.conditions(host, scope).into_iter().map(move |condition| (index, condition))
        };
        let all: Vec<(usize, Condition<'_>)> = self.sides.iter().enumerate().flat_map(of_side).collect();
        let tests: Vec<&PathTest<'_>> = all.iter().map(|(_, condition)| &*condition.path).collect();
        let classes = paths::classes(&tests);
        let mut doubts = vec![BTreeSet::new(); self.sides.len()];
        for (side, condition) in &all {
            doubts[*side].extend(condition.doubt.clone());
        }
        for index in classes.iter().flat_map(|classes| paths::unreached(&tests, classes)) {
            doubts[all[index].0].insert(format!("no request is known for {}", tests[index]));
        }
        let regions = classes.and_then(|classes| self.of_classes(host, &all, &classes));
        let first = self.sides.first().filter(|_| doubts.first().is_some_and(|own| !own.is_empty()));
        let doubted = first.into_iter().flat_map(|&(snapshot, scope)| snapshot.conditions(host, scope));
        let doubted = doubted.filter(|condition| condition.doubt.is_some()).collect();
        HostRegions { regions, doubts, doubted }
    }

    fn of_classes<'c>(
        &self,
        host: &str,
        all: &'c [(usize, Condition<'c>)],
        classes: &[paths::PathClass],
    ) -> Result<Vec<Region>, String> {
        let mut regions = Vec::new();
        for class in classes {
            let own: Vec<&'c Condition<'c>> = class.members.iter().map(|index| &all[*index].1).collect();
            for variant in variants::all(&own)? {
                let of = |endpoint: &(bool, u16)| region(*endpoint, host, &class.examples, &variant);
                regions.extend(self.endpoints.iter().map(of));
                if regions.len() > MAX_REGIONS {
                    return Err(format!("more than {MAX_REGIONS} kinds of requests"));
                }
            }
        }
        Ok(regions)
    }
}

/// What a set of objects distinguishes among the requests for one host.
pub(crate) struct Distinctions<'s>(Vec<Condition<'s>>);

/// What identifies the region of a request: whether it is over TLS, its port, and the indexes of the conditions that it meets.
pub(crate) type RegionKey = (bool, u16, Vec<usize>);

impl Distinctions<'_> {
    /// The region of a request.
    pub(crate) fn region_of(&self, request: &Request) -> RegionKey {
        let met = (0..self.0.len()).filter(|index| self.0[*index].is_met_by(request)).collect();
        (request.is_secure, request.port, met)
    }
}

/// The regions of one host.
pub(super) struct HostRegions<'s> {
    /// The regions; the reason if they are not known.
    pub(super) regions: Result<Vec<Region>, String>,
    /// Why it is not known what the data planes of each side do with some requests.
    pub(super) doubts: Vec<BTreeSet<String>>,
    /// What the first side distinguishes, with such doubts.
    pub(super) doubted: Vec<Condition<'s>>,
}

/// The requests for each of `paths`, and one with a query, which redirects keep or drop.
fn region(endpoint: (bool, u16), host: &str, paths: &[String], variant: &Variant) -> Region {
    let mut examples: Vec<Request> = paths.iter().map(|path| request(endpoint, host, path, variant)).collect();
    if variant.query.is_empty() {
        let query = vec![("q".to_owned(), "1".to_owned())];
        examples.extend(paths.first().map(|path| request(endpoint, host, path, &Variant { query, ..variant.clone() })));
    }
    Region { examples }
}

fn request((is_secure, port): (bool, u16), host: &str, path: &str, variant: &Variant) -> Request {
    let Variant { method, headers, query } = variant.clone();
    let encode = |text: &str| utf8_percent_encode(text, ENCODED).to_string();
    let pairs: Vec<String> = query.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    Request {
        method,
        is_secure,
        host: host.to_owned(),
        authority: if port == if is_secure { 443 } else { 80 } { host.to_owned() } else { format!("{host}:{port}") },
        port,
        path: path.to_owned(),
        query_text: (!pairs.is_empty()).then(|| pairs.join("&")),
        query,
        headers,
        sni: is_secure.then(|| host.to_owned()),
        client: None,
    }
}
