//! Moves the content of examples to other addresses where the API has the same structure. A check must have the same
//! findings at all of them.

use serde_json::{Value, json};

/// How many moves are applied one after the other.
const ROUNDS: usize = 3;

/// Content of the address `from` is also valid at the address `to`.
struct Carrying {
    from: &'static str,
    to: &'static str,
    /// Further content that the object needs to be valid after the move, by address.
    beside: &'static [(&'static str, &'static str)],
}

const BACKEND: &[(&str, &str)] = &[("/spec/rules/0/backendRefs/0", r#"{"name": "cart", "port": 80}"#)];
const PORT: &[(&str, &str)] = &[("/spec/tls/frontend/perPort/0", r#"{"port": 443}"#)];
const RESPONSE: &[(&str, &str)] = &[("/spec/rules/0/filters/0", r#"{"type": "ResponseHeaderModifier"}"#)];
const REDIRECT: &[(&str, &str)] = &[("/spec/rules/0/filters/0", r#"{"type": "RequestRedirect"}"#)];
const MIRROR: &[(&str, &str)] = &[("/spec/rules/0/filters/0", r#"{"type": "RequestMirror"}"#)];
const AUTH: &[(&str, &str)] = &[
    ("/spec/rules/0/filters/0", r#"{"type": "ExternalAuth"}"#),
    ("/spec/rules/0/filters/0/externalAuth", r#"{"protocol": "HTTP", "backendRef": {"name": "auth", "port": 80}}"#),
];
const CARRYINGS: &[Carrying] = &[
    carrying("/spec/tls/frontend/default", "/spec/tls/frontend/perPort/0/tls", PORT),
    carrying("/spec/rules/0/matches/0/headers", "/spec/rules/0/matches/0/queryParams", &[]),
    carrying("/spec/rules/0/backendRefs/0", "/spec/rules/0/filters/0/requestMirror/backendRef", MIRROR),
    carrying("/spec/rules/0/backendRefs/0", "/spec/rules/0/filters/0/externalAuth/backendRef", AUTH),
    carrying("/spec/rules/0/filters/0/urlRewrite", "/spec/rules/0/filters/0/requestRedirect", REDIRECT),
    carrying(
        "/spec/rules/0/filters/0/requestHeaderModifier",
        "/spec/rules/0/filters/0/responseHeaderModifier",
        RESPONSE,
    ),
    carrying(
        "/spec/rules/0/filters/0/requestHeaderModifier/set",
        "/spec/rules/0/filters/0/requestHeaderModifier/add",
        &[],
    ),
    carrying("/spec/rules/0/filters/0/cors/allowHeaders", "/spec/rules/0/filters/0/cors/exposeHeaders", &[]),
    carrying("/spec/rules/0/filters", "/spec/rules/0/backendRefs/0/filters", BACKEND),
];

const fn carrying(from: &'static str, to: &'static str, beside: &'static [(&'static str, &'static str)]) -> Carrying {
    Carrying { from, to, beside }
}

/// The object, and all objects that result from moving its content.
pub fn carried(object: &Value) -> Vec<Value> {
    let mut all = vec![object.clone()];
    let mut fresh = 0..1;
    for _ in 0..ROUNDS {
        for index in fresh.clone() {
            for carrying in CARRYINGS {
                let object = all[index].clone();
                all.extend(carrying.carry(object).filter(|carried| !all.contains(carried)));
            }
        }
        fresh = fresh.end..all.len();
    }
    all.split_off(1)
}

impl Carrying {
    fn carry(&self, mut object: Value) -> Option<Value> {
        let carried = take(&mut object, self.from)?;
        for (pointer, fields) in self.beside {
            let fields: Value = serde_json::from_str(fields).expect("the fields are JSON");
            let place = made(&mut object, pointer)?;
            for (name, value) in fields.as_object().into_iter().flatten() {
                place[name.as_str()] = value.clone();
            }
        }
        *made(&mut object, self.to)? = carried;
        Some(object)
    }
}

/// Removes and returns the value at a pointer.
fn take(object: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, last) = pointer.rsplit_once('/')?;
    match object.pointer_mut(parent)? {
        Value::Object(fields) => fields.remove(last),
        Value::Array(elements) => {
            let index: usize = last.parse().ok()?;
            (index < elements.len()).then(|| elements.remove(index))
        }
        _ => None,
    }
}

/// The value at a pointer. Missing parents are created.
fn made<'v>(object: &'v mut Value, pointer: &str) -> Option<&'v mut Value> {
    let mut place = object;
    for step in pointer.split('/').skip(1) {
        place = match step.parse::<usize>() {
            Ok(index) => {
                let elements = filled(place, json!([])).as_array_mut()?;
                elements.resize(elements.len().max(index + 1), json!({}));
                &mut elements[index]
            }
            Err(_) => filled(place, json!({})).as_object_mut()?.entry(step).or_insert(Value::Null),
        };
    }
    Some(filled(place, json!({})))
}

fn filled(place: &mut Value, with: Value) -> &mut Value {
    if place.is_null() {
        *place = with;
    }
    place
}
