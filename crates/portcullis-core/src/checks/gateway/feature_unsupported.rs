//! `gateway/feature-unsupported`

use crate::checks::feature_uses::{Feature, FeatureUses, add_tls_modes, with_features};
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::walk::gateway::{Purpose, addresses, client_validations, references};
use crate::kinds::{Gateway, Kind};

pub static CHECK: Check = Check {
    id: "gateway/feature-unsupported",
    needs: &[Kind::GatewayClass],
    page: include_str!("feature_unsupported.md"),
    run: Run::Gateway(check),
    ..Check::reference(Actions::WARN)
};

// As for routes; `gateway/routability-not-offered` reports routabilities, and any port may be supported without the feature for 8080.
const STATIC_ADDRESS: Feature = &["GatewayStaticAddresses"];
const EMPTY_ADDRESS: Feature = &["GatewayAddressEmpty"];
const INFRASTRUCTURE: Feature = &["GatewayInfrastructure", "GatewayInfrastructurePropagation"];
const BACKEND_CERTIFICATE: Feature = &["GatewayBackendClientCertificate"];
const CLIENT_VALIDATION: Feature = &["GatewayFrontendClientCertificateValidation"];
const INSECURE_FALLBACK: Feature = &["GatewayFrontendClientCertificateValidationInsecureFallback"];

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(class) = with_features(cx.cluster.gateway_class(gateway.class()).found()) else { return };
    let mut uses = FeatureUses::default();
    for (at, address) in addresses(gateway) {
        let is_static = address.value.as_deref().is_some_and(|value| !value.is_empty());
        uses.add(if is_static { STATIC_ADDRESS } else { EMPTY_ADDRESS }, at);
    }
    if let Some(infrastructure) = &gateway.spec.infrastructure {
        let is_used = infrastructure.parameters_ref.is_some()
            || infrastructure.labels.iter().chain(infrastructure.annotations.iter()).next().is_some();
        if is_used {
            uses.add(INFRASTRUCTURE, At::field("spec.infrastructure"));
        }
    }
    for (at, ..) in references(gateway).filter(|(.., purpose)| *purpose == Purpose::ClientCertificate) {
        uses.add(BACKEND_CERTIFICATE, at);
    }
    for (site, validation) in client_validations(gateway) {
        uses.add(CLIENT_VALIDATION, site.at());
        if validation.mode.as_deref() == Some("AllowInsecureFallback") {
            uses.add(INSECURE_FALLBACK, site.at().child("mode"));
        }
    }
    add_tls_modes(&gateway.listeners(), &mut uses);
    uses.report(&[class], found);
}
