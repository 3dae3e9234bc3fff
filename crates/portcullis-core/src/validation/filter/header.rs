//! The rules for headers that filters set, add, remove or allow.

use crate::bundle::Enforced;
use crate::finding::{Actions, Findings};
use crate::kinds::Route;
use crate::kinds::walk::header_modifier::ModifierList;
use crate::kinds::walk::{self, RouteParts};
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for headers.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "filter/header-malformed",
            include_str!("../../checks/filter/header_malformed.md"),
            Actions::DENY,
            RuleFn::RouteParts(malformed),
        )
    },
    Rule::reported(
        "filter/header-modified-twice",
        include_str!("../../checks/filter/header_modified_twice.md"),
        Actions::DENY,
        RuleFn::RouteParts(modified_twice),
    ),
    Rule::reported(
        "filter/header-removal-malformed",
        include_str!("../../checks/filter/header_removal_malformed.md"),
        Actions::WARN,
        RuleFn::RouteParts(|route, found| {
            let removals = route.header_modifiers().iter().flat_map(|site| site.removals());
            found.each(removals, must::header_name)
        }),
    ),
];

/// The maximum number of characters in the value of a header.
const VALUE: usize = 4096;

fn malformed(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    let be_short = must::have_at_most_characters(VALUE, "the value is too long: at most 4096 characters are allowed");
    for (at, header) in route.header_modifiers().iter().flat_map(|site| site.values()) {
        found.each([(at.named("name"), &*header.name)], must::route_header_name);
        found.each([(at.named("value"), &*header.value)], &be_short);
        if header.value.is_empty() {
            found.required(at.named("value"), "a value of header `{}` is required").args([&*header.name]);
        }
    }
    if matches!(route.route(), Route::Http(_)) {
        let lists = walk::filter::cors(route).flat_map(|site| site.lists());
        let names = lists.filter(|list| list.name.ends_with("Headers")).flat_map(|list| list.entries());
        found.each(names, must::route_header_name);
    }
}

/// The maximum number of entries that are compared. A longer list is rejected because of its length.
const COMPARED: usize = 48;

fn modified_twice(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    let mut names = Vec::new();
    for site in route.header_modifiers().iter().filter(|site| site.counts()[1] > 1) {
        names.clear();
        names.extend(site.named().take(COMPARED));
        for (index, (at, name, list)) in names.iter().enumerate().skip(1) {
            let same = names[..index].iter().filter(|(_, first, _)| first.eq_ignore_ascii_case(name));
            // A header may be both set and added. In one list the first entry counts, and the schema compares names
            // case-sensitively.
            let rank = |first: &str, other: &ModifierList| match (other == list, first == *name) {
                (true, true) => 2,
                (true, false) => 1,
                (false, _) => 0,
            };
            let conflicting =
                same.filter(|(_, _, other)| other == list || [*other, *list].contains(&ModifierList::Remove));
            let Some((_, first, other)) = conflicting.max_by_key(|(_, first, other)| rank(first, other)) else {
                continue;
            };
            let template = match other == list {
                true if *list == ModifierList::Remove => "header `{}` repeats the earlier entry `{}`: remove one",
                true => "header `{}` repeats the earlier entry `{}`, and only the first counts: remove one",
                false => "header `{}` is set or added as `{}` and also removed by this filter: keep one",
            };
            let finding = found.duplicate(*at, &name.to_ascii_lowercase(), template);
            finding.args([*name, *first]);
            if rank(first, other) < 2 {
                finding.only_warns();
            }
        }
    }
}
