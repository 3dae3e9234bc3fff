//! `filter/mirror-share-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::{self, RouteParts};

pub static CHECK: Check = Check {
    id: "filter/mirror-share-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("mirror_share_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, mirror) in walk::filter::mirrors(route) {
        if let Some(percent) = mirror.percent.filter(|percent| !(0..=100).contains(percent)) {
            found.invalid(at.then("percent"), &percent.to_string(), "{} percent must be from 0 to 100");
        }
        let Some(fraction) = mirror.fraction else { continue };
        if mirror.percent.is_some() {
            found.forbidden(at.then("fraction"), "", "a fraction beside a percentage: set one of them");
        }
        let Some(numerator) = fraction.numerator else {
            found.required(at.then("fraction.numerator"), "a fraction needs a numerator");
            continue;
        };
        let denominator = fraction.denominator.unwrap_or(100);
        if numerator < 0 || denominator < 1 || numerator > denominator {
            let args = format!("{numerator}/{denominator}");
            found.invalid(at.then("fraction"), &args, "{} must be a part from 0/n to n/n");
        }
    }
}
