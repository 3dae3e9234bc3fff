//! `ingress-route/strategy-conflict`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::kinds::walk::IngressRouteParts;

pub static CHECK: Check = Check {
    id: "ingress-route/strategy-conflict",
    needs: &[Kind::IngressRoute],
    page: include_str!("strategy_conflict.md"),
    run: Run::IngressRouteParts(check),
    ..Check::conflict(Actions::WARN)
};

fn check(route: &IngressRouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let class = route.class();
    for (at, service) in route.services() {
        let Some(port) = service.port else { continue };
        let own = route.spec.strategy_of(service);
        let mut others = cx.cluster.users_with_other_strategy((cx.namespace(), &service.name), port, class, own);
        if let Some((strategy, other)) = others.next() {
            let value = format!("{}:{port} {own} {strategy}", service.name);
            let message = "{} has strategy {} here but {} in {other}";
            let args = [format!("{}:{port}", service.name), own.to_owned(), strategy.to_owned()];
            found.duplicate(at, &value, message).args(args).other(other);
        }
    }
}
