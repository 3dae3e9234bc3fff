//! `ingress/default-class`

use std::cmp::Reverse;

use super::{Context, Defaulter, Edits, Fill};
use crate::cluster::{ClassFacts, Lookup, Overlay};
use crate::config::OnMultipleDefaults;
use crate::field::At;
use crate::kinds::{Ingress, Kind, Text};
use crate::operation::Operation;

pub static DEFAULTER: Defaulter = Defaulter {
    id: "ingress/default-class",
    enabled: true,
    option: Some("onMultipleDefaults"),
    needs: &[Kind::IngressClass],
    page: include_str!("ingress_default_class.md"),
    fill: Fill::Ingress(fill),
};

/// What `ingress/class-missing` prints.
const NO_DEFAULT: &str = "spec.ingressClassName: no class is named and none is the default: most controllers skip it [ingress/class-missing]";

fn fill(ingress: &Ingress<'_>, cx: &Context<'_>, edits: &mut Edits) {
    if cx.operation != Operation::Create || ingress.names_class() || !cx.cluster.is_complete(Kind::IngressClass) {
        return;
    }
    let defaults = match cx.cluster.default_classes() {
        Lookup::Found(defaults) => defaults,
        Lookup::Absent => Vec::new(),
        Lookup::Unknown => return,
    };
    match (defaults.as_slice(), cx.options.on_multiple_defaults.unwrap_or_default()) {
        // In the words of the check that says so of the stored object: the API server folds equal warnings into one.
        ([], _) => edits.warnings.push(NO_DEFAULT.to_owned()),
        ([only], _) => edits.set(At::field("spec"), "ingressClassName", only.name.to_string()),
        (several, OnMultipleDefaults::Newest) => {
            if let Some(newest) = newest(several.iter().copied()) {
                edits.set(At::field("spec"), "ingressClassName", newest.name.to_string());
            }
        }
        (several, OnMultipleDefaults::None) => {
            edits.warn(
                DEFAULTER.id,
                format!("{} are all marked as default: name a class, none is filled in", list(several)),
            );
        }
    }
}

/// Which of the default classes the API server's admission takes: the newest, and of several of one age the first by name.
pub fn newest<'c>(defaults: impl Iterator<Item = &'c ClassFacts>) -> Option<&'c ClassFacts> {
    defaults.max_by_key(|class| (class.created, Reverse(&class.name)))
}

/// Gives an Ingress that names no class the one that the API server's admission gives it when it is created; nothing where not all classes
/// are known. For objects from files, which are yet to be created: a stored object keeps what it has.
pub fn assume(ingress: &mut Ingress<'_>, cluster: &Overlay<'_>) {
    if !ingress.names_class()
        && cluster.is_complete(Kind::IngressClass)
        && let Lookup::Found(defaults) = cluster.default_classes()
    {
        ingress.default_class = newest(defaults.into_iter()).map(|class| Text(class.name.to_string().into()));
    }
}

/// `IngressClasses a, b`; at most three by name.
fn list(classes: &[&ClassFacts]) -> String {
    let names: Vec<&str> = classes.iter().take(3).map(|class| &*class.name).collect();
    let more = if classes.len() > 3 { format!(" and {} more", classes.len() - 3) } else { String::new() };
    format!("IngressClasses {}{more}", names.join(", "))
}
