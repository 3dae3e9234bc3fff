//! GatewayClasses that their controllers create, so that few repositories contain them.

use portcullis_core::cluster::Facts;
use portcullis_core::kinds::{Kind, decode};
use portcullis_core::matching::class_names;

/// The facts of the GatewayClass of this name, if a controller creates it.
pub(super) fn created_class(name: &str) -> Option<Facts> {
    let controller = class_names::creator(name)?;
    let json = serde_json::json!({"metadata": {"name": name}, "spec": {"controllerName": controller}}).to_string();
    decode(Kind::GatewayClass, &json).ok().map(|class| Facts::of(&class))
}
