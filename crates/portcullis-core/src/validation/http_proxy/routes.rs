//! Rules for `spec.routes` and `spec.tcpproxy`.

use hashbrown::HashMap;

use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;
use crate::kinds::http_proxy::MatchCondition;
use crate::kinds::walk::http_proxy as walk;
use crate::matching::conditions::{MatchKey, canonical};

pub(super) fn action(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    for (at, route) in walk::routes(proxy) {
        let actions = [
            ("services", !route.services.is_empty()),
            ("requestRedirectPolicy", route.request_redirect_policy.is_some()),
            ("directResponsePolicy", route.direct_response_policy.is_some()),
        ];
        let named: Vec<&str> = actions.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect();
        match named[..] {
            [_] => {}
            [] => {
                let template = "a route requires services, requestRedirectPolicy or directResponsePolicy";
                found.required(at, template);
            }
            [ref others @ .., last] => {
                let template = "{} and {} must not both be set: a route has exactly one action";
                found.forbidden(at, &named.join(","), template).args([&*others.join(", "), last]);
            }
        }
    }
}

pub(super) fn duplicate(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    // The same path has a different effect as a prefix, as an exact path and as a regular expression.
    let mut seen: HashMap<(&str, Vec<MatchKey<'_>>), usize> = HashMap::new();
    for (index, (at, route)) in walk::routes(proxy).enumerate() {
        let field = route.conditions.iter().flat_map(MatchCondition::paths).map(|(field, _)| field).next();
        let key = (field.unwrap_or("prefix"), canonical(&route.conditions));
        let Some(first) = seen.get(&key) else {
            seen.insert(key, index);
            continue;
        };
        let all = key.1.iter().map(MatchKey::to_string).collect::<Vec<_>>().join(", ");
        let all = if all.is_empty() { "/".to_owned() } else { all };
        let template = "`{}` is already matched by spec.routes[{}]: merge the two routes";
        found.duplicate(at, &format!("{} {all}", key.0), template).args([&all, &first.to_string()]);
    }
}

pub(super) fn tcpproxy(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    let Some(tcp) = &proxy.spec.tcpproxy else { return };
    let at = At::field("spec.tcpproxy");
    match (tcp.services.is_empty(), tcp.include()) {
        (true, None) => {
            found.required(at, "tcpproxy requires services or include");
        }
        (false, Some((field, _))) => {
            let template = "services and {} must not both be set: remove one of them";
            found.forbidden(at, "services,include", template).args([field]);
        }
        _ => {}
    }
    if proxy.spec.virtualhost.as_ref().is_some_and(|host| host.tls.is_none()) {
        let template = "tcpproxy requires TLS: set tls.secretName or tls.passthrough";
        found.required(At::field("spec.virtualhost.tls"), template);
    }
}
