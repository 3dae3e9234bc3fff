//! `ingress/annotation-risky`

use std::sync::LazyLock;

use hashbrown::HashMap;

use super::nginx_annotations::PREFIX;
use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::config::Risk;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;

pub static CHECK: Check = Check {
    id: "ingress/annotation-risky",
    options: &[CheckOption::Optional("maxRisk", OptionDefault::Text(MOST.name()))],
    page: include_str!("annotation_risky.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::OFF)
};

/// The default of `maxRisk`: the highest risk that ingress-nginx accepted by default.
const MOST: Risk = Risk::High;

/// The annotations with a published risk above low, one per line: the risk, a tab, and the name without prefix.
const TABLE: &str = include_str!("annotation_risk.tsv");

static RISKS: LazyLock<HashMap<&str, Risk>> = LazyLock::new(|| TABLE.lines().filter_map(row).collect());

fn row(line: &str) -> Option<(&str, Risk)> {
    let (word, name) = line.split_once('\t')?;
    Risk::ALL.into_iter().find(|risk| risk.name() == word).map(|risk| (name, risk))
}

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let most = cx.options.max_risk.unwrap_or(MOST);
    for (key, value) in ingress.metadata.annotations.iter() {
        let Some(name) = key.strip_prefix(PREFIX) else { continue };
        let risk = RISKS.get(name).copied().unwrap_or(Risk::Low);
        if risk > most {
            let at = At::field("metadata.annotations").key(key);
            let template = "the risk of {} is {}; at most {} is allowed here";
            found.forbidden(at, value, template).args([name, risk.name(), most.name()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_holds_as_many_of_each_risk_as_were_published() {
        let names: Vec<_> = TABLE.lines().filter_map(|line| Some(line.split_once('\t')?.1)).collect();
        assert!(names.is_sorted_by(|one, next| one < next));
        assert_eq!(TABLE.lines().filter_map(row).count(), names.len());
        let count = |risk| RISKS.values().filter(|own| **own == risk).count();
        assert_eq!(Risk::ALL.map(count), [0, 45, 10, 5]);
    }
}
