//! Random objects from the schemas of API servers, in every spelling that a server or a raw client can produce. Each
//! must be decoded with the same meaning as its plainest spelling.

use std::fmt::Write;

use k8s_openapi::api::core::v1::{Namespace, Service};
use k8s_openapi::api::networking::v1::{Ingress, IngressClass};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use libtest_mimic::Trial;
use portcullis_core::cluster::Facts;
use portcullis_core::kinds::{DecodeError, Kind, Partial, decode};
use portcullis_testing::rng::Rng;
use schemars::schema_for;
use serde_json::{Map, Value, json};

use crate::harness::{Channel, crds, delegation_crds, on_contour, on_gateway_api, versions};

pub fn trials() -> Vec<Trial> {
    let built_in = || {
        of_built_in_kinds();
        Ok(())
    };
    vec![
        Trial::test("properties::objects_of_built_in_kinds_are_read_in_any_spelling", built_in),
        on_gateway_api("properties::objects_of_gateway_kinds_are_read_in_any_spelling", of_gateway_kinds),
        on_contour("properties::objects_of_delegation_kinds_are_read_in_any_spelling", of_delegation_kinds),
    ]
}

/// The number of random objects for each schema.
const DRAWS: u64 = 25;

/// Represents a `null` in a list or map of texts, where it means an empty text. No generated text contains it.
const NO_TEXT: &str = "\u{0}";
/// The only field of a map that represents a `null` in a list, where it means an empty map.
const NO_MAP: &str = "\u{1}";
/// The prefix of unknown fields. They are written without it.
const UNKNOWN: char = '\u{2}';

fn of_built_in_kinds() {
    let schemas = [
        (Kind::Ingress, schema_for!(Ingress)),
        (Kind::IngressClass, schema_for!(IngressClass)),
        (Kind::Service, schema_for!(Service)),
        (Kind::Namespace, schema_for!(Namespace)),
    ];
    schemas.into_iter().for_each(|(kind, schema)| all_are_read(kind, &schema.to_value()));
}

fn of_gateway_kinds() {
    for (version, channel) in
        versions().flat_map(|version| [(version, Channel::Standard), (version, Channel::Experimental)])
    {
        crds(version, channel).iter().for_each(of_crd);
    }
}

fn of_delegation_kinds() {
    delegation_crds().iter().for_each(of_crd);
}

fn of_crd(crd: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, name) = (text(&crd["spec"]["group"]), text(&crd["spec"]["names"]["kind"]));
    for version in crd["spec"]["versions"].as_array().into_iter().flatten() {
        if let Some(kind) = Kind::of_manifest(&format!("{group}/{}", text(&version["name"])), &name) {
            let mut schema = version["schema"]["openAPIV3Schema"].clone();
            let metadata = schema_for!(ObjectMeta).to_value();
            schema["$defs"] = metadata["$defs"].clone();
            schema["properties"]["metadata"] = metadata;
            all_are_read(kind, &schema);
        }
    }
}

fn all_are_read(kind: Kind, schema: &Value) {
    for seed in 0..DRAWS {
        let mut rng = Rng::new(seed);
        let drawn = Draw { rng: &mut rng, root: schema }.object(schema, 0);
        let (plain, mut spelled) = (plain(&drawn), String::new());
        spell(&mut rng, &drawn, 0, &mut spelled);
        let error_of = |json: &str| DecodeError::of(kind, json);
        let read =
            decode(kind, &spelled).unwrap_or_else(|_| panic!("{kind}, seed {seed}: {}\n{spelled}", error_of(&spelled)));
        let text = plain.to_string();
        let expected =
            decode(kind, &text).unwrap_or_else(|_| panic!("{kind}, seed {seed}: {}\n{text}", error_of(&text)));
        assert_eq!(format!("{read:?}"), format!("{expected:?}"), "{kind}, seed {seed}: {spelled}");
        assert_eq!(Facts::of(&read), Facts::of(&expected), "{kind}, seed {seed}: {spelled}");
        one_drifted_field_hides_no_other(&mut rng, kind, plain, seed);
    }
}

/// If one field has another type, the others can still be read.
fn one_drifted_field_hides_no_other(rng: &mut Rng, kind: Kind, mut object: Value, seed: u64) {
    if object.as_object().is_none_or(Map::is_empty) {
        return;
    }
    let mut here = &mut object;
    loop {
        let count = match here {
            Value::Object(fields) => fields.len(),
            Value::Array(elements) => elements.len(),
            _ => 0,
        };
        if count == 0 {
            break;
        }
        let index = rng.below(count);
        here = match here {
            Value::Object(fields) => fields.values_mut().nth(index).expect("an index below their number"),
            Value::Array(elements) => &mut elements[index],
            _ => break,
        };
        if rng.one_in(4) {
            break;
        }
    }
    *here = match here {
        Value::Object(_) | Value::Array(_) => rng.pick(&["text", "7"]).into(),
        _ => json!({"of": [1, {"another": "type"}]}),
    };
    let json = object.to_string();
    let Partial { object, decode_errors } = Partial::read(kind, &json);
    assert!(object.is_some() && decode_errors.len() < 2, "{kind}, seed {seed}: {decode_errors:?}\n{json}");
}

/// Generates random objects from a schema, whose references are resolved.
struct Draw<'d> {
    rng: &'d mut Rng,
    root: &'d Value,
}

impl<'d> Draw<'d> {
    fn value(&mut self, schema: &'d Value, depth: usize) -> Value {
        let schema = self.resolved(schema);
        if let Some(allowed) = schema["enum"].as_array() {
            return allowed[self.rng.below(allowed.len())].clone();
        }
        let types = schema["type"].as_array().and_then(|types| types.iter().find(|of| **of != "null"));
        match types.unwrap_or(&schema["type"]).as_str() {
            Some("string") => self.text().into(),
            Some("integer") => self.integer(schema).into(),
            Some("number") => json!(0.5),
            Some("boolean") => self.rng.one_in(2).into(),
            Some("array") => self.list(schema, depth),
            Some("object") => self.object(schema, depth),
            // Values with several possible types are left to the checks.
            _ => Value::Null,
        }
    }

    /// The schema itself, the one that it refers to, or the first alternative that is not for `null`.
    fn resolved(&self, schema: &'d Value) -> &'d Value {
        if let Some(pointer) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            return self.resolved(self.root.pointer(pointer).expect("a reference leads somewhere"));
        }
        let several = ["anyOf", "oneOf", "allOf"].into_iter().filter(|_| schema["type"].is_null());
        let mut alternatives = several.filter_map(|of| schema[of].as_array()).flatten();
        let one =
            alternatives.find(|one| one["type"] != "null" && (one["type"].is_string() || one["$ref"].is_string()));
        one.map_or(schema, |one| self.resolved(one))
    }

    fn object(&mut self, schema: &'d Value, depth: usize) -> Value {
        let (mut fields, schema) = (Map::new(), self.resolved(schema));
        for (name, of) in schema["properties"].as_object().into_iter().flatten() {
            match self.rng.below(10) {
                0..6 => drop(fields.insert(name.clone(), self.value(of, depth + 1))),
                6 => drop(fields.insert(name.clone(), Value::Null)),
                _ => {}
            }
        }
        match &schema["additionalProperties"] {
            Value::Object(_) => {
                for _ in 0..self.rng.below(4) {
                    let value = self.element(&schema["additionalProperties"], depth);
                    fields.insert(self.text(), value);
                }
            }
            // Unknown fields of a selector are reported, so none is added there.
            _ if schema["properties"]["matchLabels"].is_null() && self.rng.one_in(5) => {
                let deep =
                    (0..self.rng.below(120)).fold(json!({"any": [null, -0.0, "thing"]}), |deep, _| json!([deep]));
                fields.insert(format!("{UNKNOWN}unknown"), deep);
            }
            _ => {}
        }
        fields.into()
    }

    fn list(&mut self, schema: &'d Value, depth: usize) -> Value {
        let least = schema["minItems"].as_u64().unwrap_or_default().try_into().expect("a small number");
        let count = self.rng.below(if depth > 6 { 2 } else { 4 }).max(least);
        (0..count).map(|_| self.element(&schema["items"], depth)).collect()
    }

    /// An element of a list or an entry of a map, which is sometimes `null`.
    fn element(&mut self, schema: &'d Value, depth: usize) -> Value {
        match self.value(schema, depth + 1) {
            Value::String(_) if self.rng.one_in(12) => NO_TEXT.into(),
            Value::Object(_) if self.rng.one_in(12) => json!({NO_MAP: null}),
            value => value,
        }
    }

    fn integer(&mut self, schema: &'d Value) -> i64 {
        let bound = |name: &str, default| schema[name].as_f64().map_or(default, |bound| bound as i64);
        let widest = if schema["format"] == "int32" { i64::from(i32::MAX) } else { 1 << 40 };
        let (least, most) = (bound("minimum", -widest), bound("maximum", widest));
        let any = least + i64::try_from(self.rng.below(1000)).expect("a small number") * 100;
        self.rng.pick(&[least, most, 0, 1, 100, any]).clamp(least, most)
    }

    fn text(&mut self) -> String {
        let long = "long".repeat(200);
        let texts = [
            "",
            "a",
            "shop.example.com",
            "*.example.com",
            "/cart",
            "<&>",
            "é\u{1F600}\u{2028}",
            "\"\\/\n\t\u{1b}",
            "7",
            "null",
            &long,
        ];
        let (first, second) = (self.rng.pick(&texts), self.rng.pick(&texts));
        if self.rng.one_in(3) { format!("{first}{second}") } else { first.to_owned() }
    }
}

/// The random object without the parts that only affect its spelling.
fn plain(drawn: &Value) -> Value {
    match drawn {
        Value::String(text) if text == NO_TEXT => "".into(),
        Value::Array(elements) => elements.iter().map(plain).collect(),
        Value::Object(fields) => {
            let fields_set = fields.iter().filter(|(name, value)| !value.is_null() && !name.starts_with(UNKNOWN));
            fields_set.map(|(name, value)| (name.clone(), plain(value))).collect()
        }
        other => other.clone(),
    }
}

/// Writes JSON in a random spelling. The fields of the outer maps are in random order.
fn spell(rng: &mut Rng, value: &Value, depth: usize, json: &mut String) {
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(integer) => json.push_str(&spell_integer(rng, integer)),
            None => json.push_str(&number.to_string()),
        },
        Value::String(text) if text == NO_TEXT => json.push_str("null"),
        Value::String(text) => spell_text(rng, text, json),
        Value::Object(fields) if fields.contains_key(NO_MAP) => json.push_str("null"),
        Value::Array(elements) => {
            json.push('[');
            for (index, element) in elements.iter().enumerate() {
                json.push_str(if index == 0 { "" } else { "," });
                spell(rng, element, depth + 1, json);
            }
            json.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            if depth < 2 {
                rng.shuffle(&mut fields);
            }
            json.push('{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                json.push_str(rng.pick(&["", "", " ", "\n\t"]));
                json.push_str(if index == 0 { "" } else { "," });
                spell_text(rng, name.trim_start_matches(UNKNOWN), json);
                json.push_str(rng.pick(&[":", ":", " : "]));
                spell(rng, value, depth + 1, json);
            }
            json.push('}');
        }
        other => json.push_str(&other.to_string()),
    }
}

fn spell_integer(rng: &mut Rng, integer: i64) -> String {
    let mut spellings = vec![integer.to_string()];
    spellings.extend([".0", ".000", "e0", "E+0"].map(|end| format!("{integer}{end}")));
    match integer {
        0 => spellings.extend(["-0", "-0.0", "0e9", "-0e-5", "-0.0E+2"].map(str::to_owned)),
        _ => spellings.extend(["0e-1", "00E-2"].map(|end| format!("{integer}{end}"))),
    }
    if integer != 0 && integer % 100 == 0 {
        spellings.push(format!("{}e2", integer / 100));
    }
    spellings.swap_remove(rng.below(spellings.len()))
}

fn spell_text(rng: &mut Rng, text: &str, json: &mut String) {
    let plainly = rng.one_in(2);
    json.push('"');
    for character in text.chars() {
        let must = matches!(character, '"' | '\\') || character < ' ';
        match character {
            '\n' if plainly => json.push_str("\\n"),
            '/' if rng.one_in(4) => json.push_str("\\/"),
            _ if must || (!plainly && rng.one_in(3)) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let written =
                        if rng.one_in(2) { write!(json, "\\u{unit:04x}") } else { write!(json, "\\u{unit:04X}") };
                    written.expect("memory takes every text");
                }
            }
            _ => json.push(character),
        }
    }
    json.push('"');
}
