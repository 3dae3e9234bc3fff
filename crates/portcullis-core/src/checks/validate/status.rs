//! The errors in the settings of the status writer.

use crate::config::{ConfigError, Spanned, StatusConfig};
use crate::kinds::routability::Routability;
use crate::names;

/// The errors in the section `status`.
pub fn of_status(status: &StatusConfig) -> Vec<ConfigError> {
    let name = &status.controller_name;
    let is_controller = names::is_domain_prefixed_path(name);
    let example = "use a domain and a path, such as example.com/controller";
    let controller =
        (!is_controller).then(|| name.error(format!("`{}` is not a valid controller: {example}", name.value)));
    let services = status.publish_service.iter().flat_map(|service| {
        let namespace = super::selectors::namespace(&service.namespace, &service.namespace);
        let name = (!names::is_label(&service.name))
            .then(|| service.name.error(format!("`{}` is not a valid name of a Service", service.name.value)));
        namespace.into_iter().chain(name).chain(routability(&service.routability))
    });
    let features = status.supported_features.iter().filter_map(feature);
    let classes = status.ingress_route_classes.iter().filter(|class| !class.is_empty() && !names::is_subdomain(class));
    let classes = classes.map(|class| class.error(format!("`{}` is not a valid class", class.value)));
    controller.into_iter().chain(services).chain(features).chain(classes).collect()
}

fn routability(written: &Spanned<String>) -> Option<ConfigError> {
    let words = "use Public, Private, Cluster, or a domain and a name such as example.com/internal";
    let is_valid = Routability::parse(written).is_some();
    (!is_valid).then(|| written.error(format!("`{}` is not a valid routability: {words}", written.value)))
}

/// An error unless it is a word such as `HTTPRoutePathRedirect`, as the Gateway API writes its features.
fn feature(written: &Spanned<String>) -> Option<ConfigError> {
    let is_word = written.starts_with(|first: char| first.is_ascii_uppercase())
        && written.chars().all(|next| next.is_ascii_alphanumeric());
    let example = "use a name of the Gateway API, such as HTTPRoutePathRedirect";
    (!is_word).then(|| written.error(format!("`{}` is not a valid feature: {example}", written.value)))
}
