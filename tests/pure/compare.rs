//! Compares sets of objects with each other, and the results with answers to single requests.

mod independent;
mod pairs;
mod promise;
mod regions;

use portcullis_core::compare::{HostClass, HostResult, Pairing, Side, Written, compare};
use portcullis_core::explain::{Scope, Snapshot};
use portcullis_core::matching::Host;
use portcullis_core::matching::host::Depth;
use serde_json::Value;

use crate::explain::worlds::Objects;

/// Plain HTTP and HTTPS on their default ports.
pub const ENDPOINTS: [(bool, u16); 2] = [(false, 80), (true, 443)];

/// All data planes.
pub static EVERY: Scope = Scope { class: None, gateway: None };

/// All data planes of a snapshot.
pub fn side<'s, 'w>(snapshot: &'s Snapshot<'w>) -> Side<'s, 'w> {
    thread_local! {
        static UNWRITTEN: &'static Written<'static> =
            Box::leak(Box::new(Written { is_complete: true, ..Written::default() }));
    }
    Side { snapshot, scope: &EVERY, written: UNWRITTEN.with(|written| *written) }
}

/// Compares two sets of objects.
fn compared<T>(
    before: &[Value],
    after: &[Value],
    pairing: Pairing,
    use_it: impl FnOnce(&Snapshot<'_>, &Snapshot<'_>, &[HostResult]) -> T,
) -> T {
    Objects::whole(before).with(|before| {
        Objects::whole(after)
            .with(|after| use_it(before, after, &compare(side(before), side(after), pairing, &ENDPOINTS)))
    })
}

/// The same, where Secrets are not known.
fn of_files<T>(before: &[Value], after: &[Value], pairing: Pairing, use_it: impl FnOnce(&[HostResult]) -> T) -> T {
    Objects::of_values(before).with(|before| {
        Objects::of_values(after).with(|after| use_it(&compare(side(before), side(after), pairing, &ENDPOINTS)))
    })
}

/// How specific a class of hosts is, if it contains `host`, by its definition.
fn specificity(class: &HostClass, host: &str) -> Option<usize> {
    let wildcard = |name: &str| Host::Wildcard(name.to_owned().into());
    match class {
        HostClass::Is(own) => (own == host).then_some(usize::MAX),
        HostClass::OneLabelUnder(own) => wildcard(own).matches(host, Depth::OneLabel).then_some(own.len()),
        HostClass::Under(own) => {
            let is_below = wildcard(own).matches(host, Depth::AnyLabels);
            (is_below && !wildcard(own).matches(host, Depth::OneLabel)).then_some(own.len())
        }
        HostClass::Other => Some(0),
    }
}

/// The one of `all` whose class contains `host`.
fn of_host<'r, T>(all: &'r [T], class: impl Fn(&T) -> &HostClass, host: &str) -> &'r T {
    let matching = all.iter().filter_map(|one| Some((specificity(class(one), host)?, one)));
    matching.max_by_key(|(specificity, _)| *specificity).expect("each host has a class").1
}
