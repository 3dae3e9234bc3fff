//! The rules for TLS between clients and a Gateway.

use hashbrown::HashSet;

use super::super::{Rule, RuleFn, validators as must};
use crate::bundle::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::Gateway;
use crate::kinds::walk::gateway as walk;

/// The rules for `spec.tls.frontend`.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::since(1, 5)),
        ..Rule::invalidates(
            "gateway/frontend-incomplete",
            include_str!("../../checks/gateway/frontend_incomplete.md"),
            RuleFn::Gateway(incomplete),
        )
    },
    Rule {
        enforced: Some(Enforced::since(1, 5)),
        ..Rule::invalidates(
            "gateway/frontend-port-out-of-range",
            include_str!("../../checks/gateway/frontend_port_out_of_range.md"),
            RuleFn::Gateway(|gateway, found| {
                let ports = walk::frontend_ports(gateway).map(|(at, entry)| (at.child("port"), entry.port));
                found.each(ports, must::be_a_port("the port of the entry is required"))
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::since(1, 5)),
        ..Rule::invalidates(
            "gateway/frontend-port-duplicate",
            include_str!("../../checks/gateway/frontend_port_duplicate.md"),
            RuleFn::Gateway(port_duplicate),
        )
    },
    Rule {
        enforced: Some(Enforced::since(1, 5)),
        ..Rule::invalidates(
            "gateway/frontend-mode-unknown",
            include_str!("../../checks/gateway/frontend_mode_unknown.md"),
            RuleFn::Gateway(mode_unknown),
        )
    },
    Rule {
        theme: Theme::Policy,
        ..Rule::reported(
            "gateway/frontend-insecure-fallback",
            include_str!("../../checks/gateway/frontend_insecure_fallback.md"),
            Actions::RESTRICTED,
            RuleFn::Gateway(insecure_fallback),
        )
    },
];

fn incomplete(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    let frontend = gateway.spec.tls.as_ref().and_then(|tls| tls.frontend.as_ref());
    if frontend.is_some_and(|frontend| frontend.default.is_none()) {
        let template = "`default` is required; use `{}` for no settings";
        found.required(At::field("spec.tls.frontend.default"), template).args(["{}"]);
    }
    for (at, _) in walk::frontend_ports(gateway).filter(|(_, port)| port.tls.is_none()) {
        found.required(at.child("tls"), "`tls` is required; use `{}` for no settings").args(["{}"]);
    }
    for (site, _) in walk::client_validations(gateway).filter(|(_, own)| own.ca_certificate_refs.is_empty()) {
        let template = "at least one certificate authority is required to validate client certificates";
        found.required(site.authorities(), template);
    }
}

fn port_duplicate(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, entry) in walk::frontend_ports(gateway) {
        if let Some(port) = entry.port.filter(|port| !seen.insert(*port)) {
            let template = "port {} already has an entry: merge the two entries";
            found.duplicate(at.child("port"), &port.to_string(), template);
        }
    }
}

fn mode_unknown(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    let template = "`{}` is not supported: use AllowValidOnly or AllowInsecureFallback";
    let modes = walk::client_validations(gateway)
        .filter_map(|(site, validation)| Some((site.at().child("mode"), validation.mode.as_deref()?)));
    found.each(modes, must::be_one_of(&["AllowValidOnly", "AllowInsecureFallback"], template));
}

fn insecure_fallback(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    for (site, validation) in walk::client_validations(gateway) {
        if let Some(mode @ "AllowInsecureFallback") = validation.mode.as_deref() {
            let template = "`{}` accepts clients without a valid certificate; use AllowValidOnly";
            found.forbidden(site.at().child("mode"), mode, template);
        }
    }
}
