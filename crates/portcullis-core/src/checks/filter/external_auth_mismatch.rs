//! `filter/external-auth-mismatch`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Finding;
use crate::finding::Findings;
use crate::kinds::walk::{self, RouteParts};
use crate::matching::path;

/// The maximum length of a path, in bytes.
const MAX_PATH_BYTES: usize = 1024;
/// The release and channel since which the schema rejects these faults.
const ENFORCED: Enforced = Enforced::experimental(1, 4);

pub static CHECK: Check = Check {
    id: "filter/external-auth-mismatch",
    enforced: Some(ENFORCED),
    page: include_str!("external_auth_mismatch.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, auth) in walk::filter::external_auths(route) {
        let written = &*auth.protocol;
        let downgrade_unenforced = |finding: &mut Finding| {
            if !ENFORCED.holds_in(cx.bundle()) {
                finding.only_warns();
            }
        };
        if !matches!(written, "HTTP" | "GRPC") {
            downgrade_unenforced(found.not_supported(
                at.then("protocol"),
                written,
                "protocol `{}` is not supported: use HTTP or GRPC",
            ));
            continue;
        }
        for (owner, field, is_there) in [("GRPC", "grpc", auth.grpc.0), ("HTTP", "http", auth.http.is_some())] {
            if owner == written && !is_there {
                downgrade_unenforced(
                    found.required(at.then(field), "protocol {} requires `{}`").args([written, field]),
                );
            } else if owner != written && is_there {
                downgrade_unenforced(
                    found
                        .forbidden(at.then(field), field, "`{}` must not be set with protocol {}: remove it")
                        .args([field, written]),
                );
            }
        }
        if let Some(path) = auth.http.as_ref().and_then(|http| http.path.as_deref())
            && (path.is_empty() || path::unsafe_character(path).is_some() || path.len() > MAX_PATH_BYTES)
        {
            let message = "path `{}` must have 1 to 1024 characters, none of which needs encoding";
            downgrade_unenforced(found.invalid(at.then("http.path"), path, message));
        }
    }
}
