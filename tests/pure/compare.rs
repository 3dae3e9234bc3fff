//! Compares sets of objects with each other, and the results with answers to single requests.

mod commands;
mod concerned;
mod independent;
mod kept;
mod pairs;
mod promise;
mod regions;

use std::collections::BTreeSet;

use portcullis_core::compare::{HostClass, HostResult, Kept, Pairing, Side, Written, compare};
use portcullis_core::explain::{Scope, Snapshot};
use portcullis_core::matching::Host;
use portcullis_core::matching::host::Depth;
pub use promise::{changed, services};
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
            .with(|after| use_it(before, after, &compare(side(before), side(after), pairing, &ENDPOINTS, Kept::ALL)))
    })
}

/// The same, where Secrets are not known.
pub fn of_files<T>(before: &[Value], after: &[Value], pairing: Pairing, use_it: impl FnOnce(&[HostResult]) -> T) -> T {
    Objects::of_values(before).with(|before| {
        Objects::of_values(after)
            .with(|after| use_it(&compare(side(before), side(after), pairing, &ENDPOINTS, Kept::ALL)))
    })
}

/// The same with what is written and not evaluated, and with what is not known of these classes of the first side.
fn of_written<T>(
    before: &[Value],
    after: &[Value],
    classes: &BTreeSet<String>,
    use_it: impl FnOnce(&[HostResult], Vec<String>) -> T,
) -> T {
    let (before, after) = (Objects::of_values(before), Objects::of_values(after));
    let written = [before.written(), after.written()];
    before.with(|before| {
        after.with(|after| {
            let sides = [(before, &written[0]), (after, &written[1])].map(|(snapshot, written)| Side {
                snapshot,
                scope: &EVERY,
                written,
            });
            let scopes = classes.iter().map(|class| Scope { class: Some(class.clone()), gateway: None });
            let doubts = scopes.flat_map(|scope| before.doubts_in(&scope)).collect();
            use_it(&compare(sides[0], sides[1], Pairing::All, &ENDPOINTS, Kept::ALL), doubts)
        })
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
pub fn of_host<'r, T>(all: &'r [T], class: impl Fn(&T) -> &HostClass, host: &str) -> &'r T {
    let matching = all.iter().filter_map(|one| Some((specificity(class(one), host)?, one)));
    matching.max_by_key(|(specificity, _)| *specificity).expect("each host has a class").1
}
