//! `ingress/default-class`

use super::{Defaulter, DefaultingContext, Edits, Fill};
use crate::cluster::{IngressClassFacts, Lookup};
use crate::config::OnMultipleDefaults;
use crate::field::At;
use crate::kinds::{Ingress, Kind};
use crate::operation::Operation;
use crate::routing::default_class;

pub static DEFAULTER: Defaulter = Defaulter {
    id: "ingress/default-class",
    enabled: true,
    option: Some("onMultipleDefaults"),
    needs: &[Kind::IngressClass],
    page: include_str!("ingress_default_class.md"),
    fill: Fill::Ingress(fill),
};

fn fill(ingress: &Ingress<'_>, cx: &DefaultingContext<'_>, edits: &mut Edits) {
    if cx.operation != Operation::Create || ingress.names_class() || !cx.cluster.is_complete(Kind::IngressClass) {
        return;
    }
    let defaults = match cx.cluster.default_classes() {
        Lookup::Found(defaults) => defaults,
        Lookup::Absent => Vec::new(),
        Lookup::Unknown => return,
    };
    match (defaults.as_slice(), cx.options.on_multiple_defaults.unwrap_or_default()) {
        ([], _) => edits.warn_like("ingress/class-missing", default_class::of_ingress_is_missing),
        ([only], _) => edits.set(At::field("spec"), "ingressClassName", only.name.to_string()),
        (several, OnMultipleDefaults::Newest) => {
            if let Some(newest) = default_class::newest(several.iter().copied()) {
                edits.set(At::field("spec"), "ingressClassName", newest.name.to_string());
            }
        }
        (several, OnMultipleDefaults::None) => {
            edits.warn(
                DEFAULTER.id,
                format!("{} are all marked as the default, so none is filled in: set a class", list(several)),
            );
        }
    }
}

/// The classes as `IngressClasses a, b`; at most three are named.
fn list(classes: &[&IngressClassFacts]) -> String {
    let names: Vec<&str> = classes.iter().take(3).map(|class| &*class.name).collect();
    let more = if classes.len() > 3 { format!(" and {} more", classes.len() - 3) } else { String::new() };
    format!("IngressClasses {}{more}", names.join(", "))
}
