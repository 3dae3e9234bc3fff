//! The fields of the Gateway API that only some bundles have. A test compares them with the CRDs of each supported bundle.

use serde_json::Value;

use crate::bundle::{Bundle, Channel};
use crate::field::FieldPath;
use crate::kinds::{Kind, KindSet};

/// A field that not every supported bundle has.
#[derive(Debug, Clone, Copy)]
pub struct ChannelField {
    /// The kinds that have it.
    pub kinds: KindSet,
    /// Its address, with `[]` for each element of a list.
    pub path: &'static str,
    /// The release since which the experimental channel has it.
    experimental: (u16, u16),
    /// The release since which the standard channel has it, too.
    standard: Option<(u16, u16)>,
}

/// The oldest supported release.
const OLDEST: (u16, u16) = (1, 4);

const HTTP_ROUTE: &[Kind] = &[Kind::HttpRoute];
const GATEWAY: &[Kind] = &[Kind::Gateway];

/// The fields, but for `spec.addresses[].routability`, about which `gateway/routability-field-unknown` says more.
pub const CHANNEL_FIELDS: [ChannelField; 11] = [
    field(
        &[Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute],
        "spec.useDefaultGateways",
        OLDEST,
        None,
    ),
    field(&[Kind::HttpRoute, Kind::GrpcRoute], "spec.rules[].sessionPersistence", OLDEST, None),
    field(HTTP_ROUTE, "spec.rules[].retry", OLDEST, Some((1, 7))),
    field(HTTP_ROUTE, "spec.rules[].filters[].externalAuth", OLDEST, None),
    field(HTTP_ROUTE, "spec.rules[].backendRefs[].filters[].externalAuth", OLDEST, None),
    field(HTTP_ROUTE, "spec.rules[].filters[].cors", OLDEST, Some((1, 5))),
    field(HTTP_ROUTE, "spec.rules[].backendRefs[].filters[].cors", OLDEST, Some((1, 5))),
    field(GATEWAY, "spec.defaultScope", OLDEST, None),
    field(GATEWAY, "spec.allowedListeners", OLDEST, Some((1, 5))),
    field(GATEWAY, "spec.tls", OLDEST, Some((1, 5))),
    field(&[Kind::Gateway, Kind::ListenerSet], "spec.listeners[].filters", (1, 7), None),
];

const fn field(
    kinds: &[Kind],
    path: &'static str,
    experimental: (u16, u16),
    standard: Option<(u16, u16)>,
) -> ChannelField {
    ChannelField { kinds: KindSet::of(kinds), path, experimental, standard }
}

impl ChannelField {
    /// Whether the CRDs of `bundle` have it.
    pub fn is_in(&self, bundle: Bundle) -> bool {
        match bundle.channel {
            Channel::Standard => self.standard.is_some_and(|since| bundle.release >= since),
            Channel::Experimental => bundle.release >= self.experimental,
        }
    }

    /// Its name.
    fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// The addresses in `object` that have it.
    fn addresses(&self, object: &Value) -> Vec<FieldPath> {
        let mut reached = vec![(FieldPath::default(), object)];
        for step in self.path.split('.') {
            let (name, is_list) = step.strip_suffix("[]").map_or((step, false), |name| (name, true));
            let next = reached.into_iter().flat_map(|(at, value)| {
                let at = at.field(name.to_owned());
                match value.get(name) {
                    Some(Value::Array(all)) if is_list => {
                        all.iter().enumerate().map(|(index, one)| (at.clone().index(index), one)).collect()
                    }
                    Some(value) if !is_list && !value.is_null() => vec![(at, value)],
                    _ => Vec::new(),
                }
            });
            reached = next.collect();
        }
        reached.into_iter().map(|(at, _)| at).collect()
    }
}

/// The fields of `json`, an object of `kind`, that the CRDs of `bundle` do not have, each with its address.
pub fn missing(kind: Kind, json: &str, bundle: Bundle) -> Vec<(FieldPath, &'static str)> {
    let rows = CHANNEL_FIELDS.iter().filter(|row| row.kinds.contains(kind) && !row.is_in(bundle));
    let rows: Vec<_> = rows.filter(|row| json.contains(row.name())).collect();
    // Most objects have none, and are not parsed again.
    let object: Value = if rows.is_empty() { Value::Null } else { serde_json::from_str(json).unwrap_or_default() };
    rows.into_iter().flat_map(|row| row.addresses(&object).into_iter().map(|at| (at, row.name()))).collect()
}
