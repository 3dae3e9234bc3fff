//! `httpproxy/tls-versions`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;

/// The versions that Contour speaks, the oldest first.
const VERSIONS: [&str; 2] = ["1.2", "1.3"];

pub static CHECK: Check = Check {
    id: "httpproxy/tls-versions",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("tls_versions.md"),
    run: Run::HttpProxy(check),
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(tls) = proxy.spec.virtualhost.as_ref().and_then(|host| host.tls.as_ref()) else { return };
    let at = At::field("spec.virtualhost.tls");
    let bounds = [
        ("minimumProtocolVersion", tls.minimum_protocol_version.as_deref(), VERSIONS[0]),
        ("maximumProtocolVersion", tls.maximum_protocol_version.as_deref(), VERSIONS[1]),
    ];
    let [minimum, maximum] = bounds.map(|(field, written, default)| {
        let written = written.filter(|version| !version.is_empty());
        if let Some(version) = written.filter(|version| !VERSIONS.contains(version)) {
            let sentence = "`{}` is neither 1.2 nor 1.3, and {} is taken instead";
            found.not_supported(at.then(field), version, sentence).shown([version, default]).only_warns();
        }
        written.filter(|version| VERSIONS.contains(version)).unwrap_or(default)
    });
    if minimum > maximum {
        let sentence = "the oldest version, {}, is newer than the newest, {}: no client can connect";
        let finding = found.invalid(at.then("minimumProtocolVersion"), &format!("{minimum} {maximum}"), sentence);
        finding.shown([minimum, maximum]);
    }
}
