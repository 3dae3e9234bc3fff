//! The rules for the filters of an HTTPRoute or a GRPCRoute.

pub mod cors;
pub mod header;
pub mod path;

use super::{Rule, RuleFn, validators as must};
use crate::bundle::Enforced;
use crate::finding::{Actions, Findings};
use crate::kinds::walk::{self, RouteParts};
use crate::kinds::{Route, Text};

/// The rules for lists of filters, for mirrors and for extensions.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "filter/extension-incomplete",
            include_str!("../../checks/filter/extension_incomplete.md"),
            Actions::DENY,
            RuleFn::RouteParts(extension_incomplete),
        )
    },
    Rule::reported(
        "filter/external-auth-repeated",
        include_str!("../../checks/filter/external_auth_repeated.md"),
        Actions::WARN,
        RuleFn::RouteParts(external_auth_repeated),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "filter/list-too-long",
            include_str!("../../checks/filter/list_too_long.md"),
            Actions::DENY,
            RuleFn::RouteParts(list_too_long),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "filter/mirror-share-malformed",
            include_str!("../../checks/filter/mirror_share_malformed.md"),
            Actions::DENY,
            RuleFn::RouteParts(mirror_share_malformed),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "filter/redirect-and-rewrite",
            include_str!("../../checks/filter/redirect_and_rewrite.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(redirect_and_rewrite),
        )
    },
    Rule {
        enforced: Some(Enforced::since(1, 5)),
        ..Rule::reported(
            "filter/repeated",
            include_str!("../../checks/filter/repeated.md"),
            Actions::DENY,
            RuleFn::RouteParts(repeated),
        )
    },
];

fn extension_incomplete(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for site in route.filters() {
        let Some(extension) = site.filter.extension_ref.as_deref() else { continue };
        let at = site.at();
        let is_set = |text: &Option<Text<'_>>| text.as_deref().is_some_and(|text| !text.is_empty());
        if extension.group.is_none() {
            let template = "the group of the extension is required; \"\" is the core group";
            found.required(at.child("extensionRef.group"), template);
        }
        if !is_set(&extension.kind) {
            found.required(at.child("extensionRef.kind"), "the kind of the extension is required");
        }
        if extension.name.is_empty() {
            found.required(at.child("extensionRef.name"), "the name of the extension is required");
        }
    }
}

fn external_auth_repeated(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for list in route.filter_lists() {
        let auths = list.filters.iter().enumerate().filter(|(_, filter)| &*filter.kind == "ExternalAuth");
        for (index, filter) in auths.skip(1) {
            let template =
                "filter type {} is already used in this list, and which one decides is undefined: remove one";
            found.duplicate(list.element(index).child("type"), &filter.kind, template);
        }
    }
}

/// The maximum number of filters in a list.
const MAX_FILTERS: usize = 16;
/// The maximum number of headers in a list.
const MAX_HEADERS: usize = 16;
/// The maximum number of CORS methods, which is the number of supported methods.
const MAX_METHODS: usize = 9;
/// The maximum number of entries in the other CORS lists.
const MAX_ENTRIES: usize = 64;

fn list_too_long(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    let filters = route.filter_lists().iter().map(|list| (list.at(), list.filters.len()));
    found.each(filters, must::have_entries(MAX_FILTERS));
    let modifiers = route.header_modifiers().iter().filter(|site| site.counts()[0] > MAX_HEADERS);
    found.each(modifiers.flat_map(|site| site.lists()), must::have_entries(MAX_HEADERS));
    if matches!(route.route(), Route::Http(_)) {
        for list in walk::filter::cors(route).flat_map(|site| site.lists()) {
            let most = if list.name == "allowMethods" { MAX_METHODS } else { MAX_ENTRIES };
            found.each([(list.at, list.texts.len())], must::have_entries(most));
        }
    }
}

fn mirror_share_malformed(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for (at, mirror) in walk::filter::mirrors(route) {
        if let Some(percent) = mirror.percent.filter(|percent| !(0..=100).contains(percent)) {
            found.invalid(at.named("percent"), &percent.to_string(), "{} percent is out of range: use 0 to 100");
        }
        let Some(fraction) = mirror.fraction else { continue };
        if mirror.percent.is_some() {
            found.forbidden(at.named("fraction"), "", "`fraction` and `percent` must not both be set: remove one");
        }
        let Some(numerator) = fraction.numerator else {
            found.required(at.named("fraction.numerator"), "the numerator of the fraction is required");
            continue;
        };
        let denominator = fraction.denominator.unwrap_or(100);
        if numerator < 0 || denominator < 1 || numerator > denominator {
            let args = format!("{numerator}/{denominator}");
            found.invalid(at.named("fraction"), &args, "the fraction {} is out of range: use 0 to 1");
        }
    }
}

fn redirect_and_rewrite(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for list in route.filter_lists() {
        let has = |kind| list.filters.iter().any(|filter| &*filter.kind == kind);
        if has("RequestRedirect") && has("URLRewrite") {
            let template = "a list of filters must not have both a redirect and a rewrite: remove one of them";
            found.forbidden(list.at(), "", template);
        }
    }
}

/// The filter types that a list may contain only once.
const ONCE: [&str; 5] = ["RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite", "CORS"];

fn repeated(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for list in route.filter_lists() {
        for kind in ONCE {
            let such = list.filters.iter().enumerate().filter(|(_, filter)| &*filter.kind == kind);
            for (index, _) in such.skip(1) {
                let template = "filter type {} is already used in this list: merge both or remove one";
                found.duplicate(list.element(index).child("type"), kind, template);
            }
        }
    }
}
