//! `ingress/default-class`

use std::cmp::Reverse;

use super::{Context, Defaulter, Edits, Fill};
use crate::cluster::{ClassFacts, Lookup};
use crate::config::Several;
use crate::field::At;
use crate::kinds::{Ingress, Kind};
use crate::operation::Operation;

pub static DEFAULTER: Defaulter = Defaulter {
    id: "ingress/default-class",
    enabled: true,
    needs: &[Kind::IngressClass],
    page: include_str!("default_class.md"),
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
    match (defaults.as_slice(), cx.options.several.unwrap_or_default()) {
        // In the words of the check that says so of the stored object: the API server folds equal warnings into one.
        ([], _) => edits.warnings.push(NO_DEFAULT.to_owned()),
        ([only], _) => edits.set(At::field("spec"), "ingressClassName", only.name.to_string()),
        (several, Several::Newest) => {
            let newest = several.iter().max_by_key(|class| (class.created, Reverse(&class.name)));
            if let Some(newest) = newest {
                edits.set(At::field("spec"), "ingressClassName", newest.name.to_string());
            }
        }
        (several, Several::None) => {
            edits.warn(
                DEFAULTER.id,
                format!("{} are all marked as default: name a class, none is filled in", list(several)),
            );
        }
    }
}

/// `IngressClasses a, b`; at most three by name.
fn list(classes: &[&ClassFacts]) -> String {
    let names: Vec<&str> = classes.iter().take(3).map(|class| &*class.name).collect();
    let more = if classes.len() > 3 { format!(" and {} more", classes.len() - 3) } else { String::new() };
    format!("IngressClasses {}{more}", names.join(", "))
}
