//! Small changes of an object, and those that the schema of its kind suggests: just within and just beyond each limit.

use serde_json::{Value, json};

/// A change at one position of an object.
#[derive(Debug, Clone)]
pub struct Mutation {
    /// The position without indexes, and a description of the change.
    pub name: String,
    at: String,
    to: Option<Value>,
}

/// Texts, each of which some pattern refuses.
const TEXTS: [&str; 16] = [
    "Bad Value!",
    "UPPER",
    "a..b",
    "-a",
    "a-",
    "*.a.example.com",
    "*",
    "10.0.0.1",
    "::1",
    "a/b",
    "a_b",
    "a:b",
    "1s1h",
    "example.com.",
    "http://a.example.com",
    "/a",
];

impl Mutation {
    /// Sets or removes the value at a JSON pointer, whose parent must exist.
    pub fn new(at: &str, to: Option<Value>, what: &str) -> Self {
        let generic = at.trim_start_matches('/').split('/').map(|step| match step.parse::<usize>() {
            Ok(_) => "[]".to_owned(),
            Err(_) => format!(".{step}"),
        });
        let place: String = generic.collect();
        Self { name: format!("{} {what}", place.trim_start_matches('.')), at: at.to_owned(), to }
    }

    /// The same with a shorter name.
    pub fn called(mut self, what: &str) -> Self {
        self.name = what.to_owned();
        self
    }

    /// Applies the change. Does nothing if another change has removed the parent.
    pub fn apply(&self, object: &mut Value) {
        let (parent, key) = self.at.rsplit_once('/').expect("a place is below the object");
        match (object.pointer_mut(parent), &self.to) {
            (Some(Value::Object(map)), Some(value)) => drop(map.insert(key.to_owned(), value.clone())),
            (Some(Value::Object(map)), None) => drop(map.remove(key)),
            (Some(Value::Array(list)), Some(value)) => {
                if let Some(item) = key.parse().ok().and_then(|index: usize| list.get_mut(index)) {
                    *item = value.clone();
                }
            }
            _ => {}
        }
    }
}

/// Removes the fields that the schema does not have, as the API server does before any validation.
pub fn prune(schema: &Value, object: &mut Value) {
    match object {
        Value::Object(map) => {
            if let Some(known) = schema["properties"].as_object() {
                let of_api = |key: &str| matches!(key, "apiVersion" | "kind" | "metadata");
                map.retain(|key, _| known.contains_key(key) || of_api(key));
                map.iter_mut().filter(|(key, _)| !of_api(key)).for_each(|(key, inner)| prune(&known[key], inner));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| prune(&schema["items"], item)),
        _ => {}
    }
}

/// The changes that the schema suggests for each position of the object. Unless `full`, only one of the texts that
/// patterns may refuse is tried.
pub fn of(schema: &Value, object: &Value, full: bool) -> Vec<Mutation> {
    let mut found = Vec::new();
    walk(&schema["properties"]["spec"], &object["spec"], "/spec", if full { &TEXTS } else { &TEXTS[..1] }, &mut found);
    found
}

fn walk(schema: &Value, value: &Value, at: &str, texts: &[&str], found: &mut Vec<Mutation>) {
    let mut add = |to: Value, what: &str| found.push(Mutation::new(at, Some(to), what));
    match value {
        Value::String(_) => {
            let length = |bound: &str| schema[bound].as_u64().and_then(|length| usize::try_from(length).ok());
            if let Some(most) = length("maxLength") {
                add("a".repeat(most).into(), "as long as may be");
                add("a".repeat(most + 1).into(), "too long");
            }
            if length("minLength").is_some_and(|least| least > 0) || schema["pattern"].is_string() {
                add("".into(), "empty");
            }
            if schema["pattern"].is_string() || schema["format"].is_string() {
                texts.iter().for_each(|text| add((*text).into(), &format!("`{text}`")));
            }
            for choice in schema["enum"].as_array().into_iter().flatten().chain([&json!("Bogus")]) {
                if !schema["enum"].is_null() {
                    add(choice.clone(), &format!("{choice}"));
                }
            }
        }
        Value::Number(_) => {
            for (bound, beyond) in [("minimum", -1), ("maximum", 1)] {
                if let Some(limit) = schema[bound].as_i64() {
                    add(limit.into(), bound);
                    add((limit + beyond).into(), &format!("beyond {bound}"));
                }
            }
        }
        Value::Array(list) => {
            let Some(first) = list.first() else { return };
            add(json!([]), "none");
            add(list.iter().chain([first]).cloned().collect(), "one twice");
            if let Some(most) = schema["maxItems"].as_u64() {
                add((0..most).map(|number| numbered(schema, first, number)).collect(), "as many as may be");
                add((0..=most).map(|number| numbered(schema, first, number)).collect(), "too many");
            }
            for (index, item) in list.iter().enumerate() {
                walk(&schema["items"], item, &format!("{at}/{index}"), texts, found);
            }
        }
        Value::Object(map) => {
            if let Some(most) = schema["maxProperties"].as_u64() {
                let entries = |count: u64| (0..count).map(|number| (format!("k{number}"), json!("v"))).collect();
                add(Value::Object(entries(most)), "as many as may be");
                add(Value::Object(entries(most + 1)), "too many");
            }
            for (key, inner) in map {
                let at = format!("{at}/{key}");
                found.push(Mutation::new(&at, None, "gone"));
                let known = &schema["properties"][key];
                let schema = if known.is_null() { &schema["additionalProperties"] } else { known };
                walk(schema, inner, &at, texts, found);
            }
        }
        _ => {}
    }
}

/// A variant of an item for a long list. If items have keys, names or texts, each variant is different.
fn numbered(schema: &Value, item: &Value, number: u64) -> Value {
    let mut item = item.clone();
    let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
    let keys: Vec<&str> = keys.filter_map(Value::as_str).collect();
    match &mut item {
        Value::String(text) if schema["items"]["enum"].is_null() => *text = format!("n{number}.{text}"),
        Value::Object(map) => {
            let named = keys.iter().copied().chain(["name"]).find(|key| map.get(*key).is_some_and(Value::is_string));
            match (named, map.get("port").is_some_and(Value::is_number)) {
                (Some(key), _) => drop(map.insert(key.to_owned(), format!("n{number}").into())),
                (None, true) => drop(map.insert("port".to_owned(), (number + 1).into())),
                (None, false) => {}
            }
            if map.contains_key("name") && map.contains_key("port") && map.contains_key("protocol") {
                map.insert("port".to_owned(), (number + 1).into());
            }
        }
        _ => {}
    }
    item
}
