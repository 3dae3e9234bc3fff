//! `http-proxy/ingress-class-default`

use super::{Defaulter, DefaultingContext, Edits, Fill};
use crate::field::At;
use crate::kinds::HttpProxy;
use crate::operation::Operation;

pub static DEFAULTER: Defaulter = Defaulter {
    id: "http-proxy/ingress-class-default",
    enabled: false,
    option: Some("class"),
    needs: &[],
    page: include_str!("http_proxy_ingress_class_default.md"),
    fill: Fill::HttpProxy(fill),
};

fn fill(proxy: &HttpProxy<'_>, cx: &DefaultingContext<'_>, edits: &mut Edits) {
    if cx.operation != Operation::Create || proxy.names_class() {
        return;
    }
    if let Some(class) = &cx.options.class {
        edits.set(At::field("spec"), "ingressClassName", class.value.to_string());
    }
}
