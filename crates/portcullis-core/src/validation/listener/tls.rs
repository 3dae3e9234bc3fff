//! The rules for the `tls` of listeners.

use super::super::{Rule, RuleFn, object_reference, validators as must};
use crate::bundle::Enforced;
use crate::finding::{Actions, Cause, Findings};
use crate::kinds::walk::listener as walk;
use crate::kinds::walk::reference::Reference;
use crate::kinds::{Listener, Listeners};
use crate::names;

/// The rules for TLS.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "listener/tls-missing",
        include_str!("../../checks/listener/tls_missing.md"),
        Actions::WARN,
        RuleFn::Listeners(missing),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/tls-forbidden",
            include_str!("../../checks/listener/tls_forbidden.md"),
            RuleFn::Listeners(forbidden),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/tls-mode-unknown",
            include_str!("../../checks/listener/tls_mode_unknown.md"),
            RuleFn::Listeners(mode_unknown),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/https-passthrough",
            include_str!("../../checks/listener/https_passthrough.md"),
            RuleFn::Listeners(https_passthrough),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/certificate-missing",
            include_str!("../../checks/listener/certificate_missing.md"),
            RuleFn::Listeners(certificate_missing),
        )
    },
    Rule::reported(
        "listener/certificate-unused",
        include_str!("../../checks/listener/certificate_unused.md"),
        Actions::WARN,
        RuleFn::Listeners(certificate_unused),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "listener/certificate-ref-malformed",
            include_str!("../../checks/listener/certificate_ref_malformed.md"),
            Actions::DENY,
            RuleFn::Listeners(|listeners, found| {
                for (at, certificate) in walk::certificate_refs(listeners) {
                    object_reference::well_formed(&Reference::target(at, certificate), found);
                }
            }),
        )
    },
    Rule::reported(
        "listener/certificate-kind-unsupported",
        include_str!("../../checks/listener/certificate_kind_unsupported.md"),
        Actions::WARN,
        RuleFn::Listeners(certificate_kind),
    ),
    Rule::reported(
        "listener/option-unprefixed",
        include_str!("../../checks/listener/option_unprefixed.md"),
        Actions::OFF,
        RuleFn::Listeners(option_unprefixed),
    ),
];

/// Whether the protocol of a listener does not use TLS.
fn is_plain(listener: &Listener<'_>) -> bool {
    matches!(&*listener.protocol, "HTTP" | "TCP" | "UDP")
}

fn missing(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listeners(listeners) {
        if &*listener.protocol == "HTTPS" && listener.tls.is_none() {
            let template = "HTTPS requires `tls` with a certificate, unless the controller provides one";
            found.add(Cause::Required, at.child("tls"), &listener.name, template);
        }
    }
}

fn forbidden(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, _) in walk::tls(listeners).filter(|(_, listener, _)| is_plain(listener)) {
        let template = "`tls` must not be set with protocol {}: use HTTPS or TLS, or remove `tls`";
        found.forbidden(at, &listener.name, template).args([&*listener.protocol]);
    }
}

fn mode_unknown(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    let template = "`{}` is not supported: use Terminate or Passthrough";
    let modes = walk::tls(listeners).map(|(at, _, tls)| (at.child("mode"), tls.mode()));
    found.each(modes, must::be_one_of(&["Terminate", "Passthrough"], template));
}

fn https_passthrough(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, tls) in walk::tls(listeners) {
        if &*listener.protocol == "HTTPS" && tls.mode() == "Passthrough" {
            let template = "the mode must be Terminate with protocol HTTPS; use protocol TLS for Passthrough";
            found.invalid(at.child("mode"), &listener.name, template);
        }
    }
}

fn certificate_missing(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    // Another rule reports `tls` on a listener whose protocol does not use it.
    for (at, listener, tls) in walk::tls(listeners).filter(|(_, listener, _)| !is_plain(listener)) {
        if tls.mode() == "Terminate" && tls.certificate_refs.is_empty() && tls.options.0.is_empty() {
            let template = "a certificate is required to terminate TLS";
            found.add(Cause::Required, at.child("certificateRefs"), &listener.name, template);
        }
    }
}

fn certificate_unused(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, tls) in walk::tls(listeners) {
        if tls.mode() == "Passthrough" && !tls.certificate_refs.is_empty() {
            let template = "the certificates are not used with mode Passthrough; remove them, or use Terminate";
            found.forbidden(at.child("certificateRefs"), &listener.name, template);
        }
    }
}

fn certificate_kind(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, certificate) in walk::certificate_refs(listeners) {
        let (group, kind) = (certificate.group(), certificate.kind_or("Secret"));
        if (group, kind) == ("", "Secret") {
            continue;
        }
        if kind == "Secret" {
            found.each([(at.child("group"), group)], must::be_core_group_of("Secret"));
            continue;
        }
        let field = if group.is_empty() { "kind" } else { "group" };
        let value = if group.is_empty() { kind.to_owned() } else { format!("{group}/{kind}") };
        found.not_supported(at.child(field), &value, "only some controllers support {} here; use a Secret");
    }
}

fn option_unprefixed(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, _, tls) in walk::tls(listeners) {
        let options = at.child("options");
        for (key, _) in tls.options.iter().filter(|(key, _)| !key.contains('/') || !names::is_label_key(key)) {
            let template = match key.contains('/') {
                true => "`{}` must be a domain, `/` and a name, as in example.com/min-version",
                false => "`{}` must have the domain of its owner in front, as in example.com/min-version",
            };
            found.invalid(options.entry(key), key, template);
        }
    }
}
