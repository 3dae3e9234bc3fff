//! The methods, headers and query parameters that the conditions on one class of paths tell apart.
//!
//! A request that meets one condition of each side, and otherwise sends nothing, stands for all requests that these two
//! decide: it meets no further condition that one of them need not meet. So there is one request for each pair of
//! conditions, and not one for each set. Only where a condition is met by what is absent are all combinations formed.

use std::collections::{BTreeMap, BTreeSet};

use super::values;
use crate::explain::Condition;
use crate::matching::ValueTest;
use crate::matching::predicate::{TextPart, TextTest};

/// The maximum number of requests for one class of paths.
const MAX_VARIANTS: usize = 4096;

/// Methods to choose from for a method that no rule names.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/// The same for calls of gRPC.
const CALL_METHODS: [&str; 7] = ["POST", "GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/// What a request sends beside its path.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variant {
    pub(super) method: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) query: Vec<(String, String)>,
}

/// A header or a query parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Header,
    Query,
}

/// The name of a value with its place.
type Slot<'c> = (Place, &'c str);

/// The header of calls of gRPC, which use the method POST.
const GRPC: [&str; 2] = ["content-type", "application/grpc"];

/// All variants that `conditions` distinguish, as calls of gRPC where one of them is for these. Fails with the reason if they cannot be
/// told.
pub(super) fn all<'c>(conditions: &[&'c Condition<'c>]) -> Result<BTreeSet<Variant>, String> {
    let is_call = conditions.iter().any(|condition| condition.is_call);
    let mut tests = conditions.iter().flat_map(|condition| tests_of(condition));
    let is_told_apart = tests.any(|((place, name), _)| place == Place::Header && name == GRPC[0]);
    let variants = plain(conditions, if is_call { &CALL_METHODS } else { &METHODS })?;
    let call = |variant: Variant| {
        if is_call && !is_told_apart { variant.with((Place::Header, GRPC[0]), GRPC[1]) } else { variant }
    };
    Ok(variants.into_iter().map(call).collect())
}

/// The same without what only calls of gRPC have. One of these methods is that of requests for which no condition names one.
fn plain<'c>(conditions: &[&'c Condition<'c>], known: &[&'static str]) -> Result<BTreeSet<Variant>, String> {
    let mut tests: BTreeMap<Slot<'_>, Vec<&ValueTest<'_>>> = BTreeMap::new();
    for (slot, test) in conditions.iter().flat_map(|condition| tests_of(condition)) {
        tests.entry(slot).or_default().push(test);
    }
    let mut values: BTreeMap<Slot<'_>, Vec<String>> = BTreeMap::new();
    for (slot, tests) in &tests {
        values.insert(*slot, values::classes(tests)?);
    }
    let methods: BTreeSet<&str> = conditions.iter().filter_map(|condition| condition.method).collect();
    let other = known.iter().copied().find(|method| !methods.contains(method)).unwrap_or("OTHER");
    if tests.values().flatten().any(|test| test.matches(&[])) {
        let methods = methods.into_iter().chain([other]);
        return every_combination(&values, methods).ok_or_else(too_many);
    }
    let mut distinct: Vec<&'c Condition<'c>> = Vec::new();
    for condition in conditions {
        if !distinct.iter().any(|known| asks_the_same(known, condition)) {
            distinct.push(condition);
        }
    }
    for condition in &distinct {
        if of_pair(Some(condition), None, &values, other).is_empty() {
            return Err("no values are known that satisfy a condition on headers or parameters".to_owned());
        }
    }
    let mut all = BTreeSet::new();
    for (index, one) in distinct.iter().map(Some).chain([None]).enumerate() {
        for second in distinct[index.min(distinct.len())..].iter().map(Some).chain([None]) {
            all.extend(of_pair(one.copied(), second.copied(), &values, other));
            if all.len() > MAX_VARIANTS {
                return Err(too_many());
            }
        }
    }
    Ok(all)
}

fn too_many() -> String {
    format!("more than {MAX_VARIANTS} combinations of methods, headers and parameters")
}

/// The tests of a condition, each with the name of its value.
fn tests_of<'c>(condition: &'c Condition<'_>) -> impl Iterator<Item = (Slot<'c>, &'c ValueTest<'c>)> {
    let headers = condition.headers.iter().map(|test| ((Place::Header, &*test.name), test));
    headers.chain(condition.query.iter().map(|test| ((Place::Query, &*test.name), test)))
}

fn asks_the_same(one: &Condition<'_>, other: &Condition<'_>) -> bool {
    let words = |condition: &Condition<'_>| -> BTreeSet<(Place, String, String)> {
        tests_of(condition).map(|((place, name), test)| (place, name.to_owned(), kind_of(test))).collect()
    };
    one.method == other.method && words(one) == words(other)
}

/// What distinguishes a test from others of the same value.
fn kind_of(test: &ValueTest<'_>) -> String {
    format!("{} {} {}", kind_of_text(&test.test), test.missing_is_empty, test.wanted())
}

fn kind_of_text(test: &TextTest<'_>) -> String {
    if let TextTest::OneOf(tests) = test {
        return tests.iter().map(kind_of_text).collect();
    }
    let folds_case = matches!(test, TextTest::Has(TextPart { folds_case: true, .. }));
    format!("{:?} {folds_case} ", std::mem::discriminant(test))
}

/// The requests that meet both conditions; an absent one is met by every request.
fn of_pair<'c>(
    one: Option<&'c Condition<'c>>,
    other: Option<&'c Condition<'c>>,
    values: &BTreeMap<Slot<'_>, Vec<String>>,
    other_method: &str,
) -> Vec<Variant> {
    let both = || one.into_iter().chain(other);
    let mut methods = both().filter_map(|condition| condition.method);
    let method = methods.next();
    if methods.any(|second| Some(second) != method) {
        return Vec::new();
    }
    let method = method.unwrap_or(other_method);
    let slots: BTreeSet<Slot<'_>> = both().flat_map(tests_of).map(|(slot, _)| slot).collect();
    let mut all = vec![Variant { method: method.to_owned(), ..Variant::default() }];
    for slot in slots {
        let sent = |value: &str| [(slot.1.to_owned(), value.to_owned())];
        let satisfies = |value: &&String| {
            let mut own = both().flat_map(tests_of).filter(|(own, _)| *own == slot);
            own.all(|(_, test)| test.matches(&sent(value)))
        };
        let allowed: Vec<&String> = values.get(&slot).into_iter().flatten().filter(satisfies).collect();
        all = all.iter().flat_map(|variant| allowed.iter().map(|value| variant.with(slot, value))).collect();
        if all.len() > MAX_VARIANTS {
            break;
        }
    }
    all
}

/// All combinations of values, each absent or present; `None` if there are too many.
fn every_combination<'c>(
    values: &BTreeMap<Slot<'_>, Vec<String>>,
    methods: impl Iterator<Item = &'c str>,
) -> Option<BTreeSet<Variant>> {
    let mut all: Vec<Variant> =
        methods.map(|method| Variant { method: method.to_owned(), ..Variant::default() }).collect();
    for (slot, values) in values {
        let more: Vec<Variant> =
            all.iter().flat_map(|variant| values.iter().map(|value| variant.with(*slot, value))).collect();
        all.extend(more);
        if all.len() > MAX_VARIANTS {
            return None;
        }
    }
    Some(all.into_iter().collect())
}

impl Variant {
    /// The same with one more value.
    fn with(&self, (place, name): Slot<'_>, value: &str) -> Self {
        let mut more = self.clone();
        let list = match place {
            Place::Header => &mut more.headers,
            Place::Query => &mut more.query,
        };
        list.push((name.to_owned(), value.to_owned()));
        more
    }
}
