//! The text of the reference: a section for each key of the configuration, with the keys below it, and one for each type that several
//! keys share.

use portcullis_core::checks::{CheckOption, registry};
use serde_json::Value;

use super::keys::{Key, ROOT, Schema, reference};

const HEAD: &str = "\
# Configuration reference

Every key of the configuration, with an example. [configuration.md](configuration.md) is the guide. `portcullis config schema` prints the
same as a JSON schema, [config.schema.json](config.schema.json), for editors.

Each example is a complete configuration if its first two lines are added:

```yaml
apiVersion: config.portcullis.dev/v1alpha1
kind: PortcullisConfiguration
```

A key such as `Handover.host` is the key `host` of a value of type `Handover`. `just docs` writes this file.
";

/// The whole page.
pub fn page(schema: &Schema<'_>) -> String {
    let mut text = HEAD.to_owned() + "\n| key | |\n|---|---|\n";
    let keys = schema.keys(ROOT);
    for key in &keys {
        text += &format!("| [`{0}`](#{1}) | {2} |\n", key.key, anchor(key.key), first_sentence(key.sentence()));
    }
    for name in schema.shared() {
        let use_of = first_sentence(sentence_of(schema, name));
        text += &format!("| [type `{name}`](#{}) | {use_of} |\n", anchor(&format!("type-{name}")));
    }
    for key in &keys {
        text += &format!("\n## `{}`\n\n{}", key.key, entry(schema, key));
        text += &below(schema, key);
    }
    for name in schema.shared() {
        text += &format!("\n## Type `{name}`\n\n{}\n", sentence_of(schema, name));
        text += &of_type(schema, name);
    }
    text
}

/// The keys of the types that only this key leads to.
fn below(schema: &Schema<'_>, key: &Key<'_>) -> String {
    let own = schema.named(key.node).into_iter().filter(|name| !schema.shared().any(|shared| shared == *name));
    own.map(|name| of_type(schema, name)).collect()
}

/// The keys of a type, each followed by what is below it.
fn of_type(schema: &Schema<'_>, name: &str) -> String {
    let owner = schema.types().find(|known| *known == name).expect("the type has keys");
    let section = |key: &Key<'_>| format!("\n### `{}`\n\n{}{}", key.name(), entry(schema, key), below(schema, key));
    schema.keys(owner).iter().map(section).collect()
}

/// What is said about a key.
fn entry(schema: &Schema<'_>, key: &Key<'_>) -> String {
    let mut text = format!("{}\n\n- Type: {}\n", key.sentence(), type_of(schema, key.node));
    text += &values(schema, key.node);
    let default = match &key.node["default"] {
        _ if key.is_required => "none; the key is required".to_owned(),
        Value::Null => "not set".to_owned(),
        Value::String(word) => format!("`{word}`"),
        Value::Array(list) if list.is_empty() => "empty".to_owned(),
        Value::Object(map) if map.is_empty() => "empty".to_owned(),
        other => format!("`{other}`"),
    };
    text += &format!("- Default: {default}\n");
    text += &checks(key);
    text + &key.example().map(|example| format!("\n```yaml\n{example}```\n")).unwrap_or_default()
}

/// The type of a value, in words.
fn type_of(schema: &Schema<'_>, node: &Value) -> String {
    if let Some(name) = reference(node) {
        return match named(schema, name) {
            Some(link) => link,
            None => type_of(schema, schema.definition(name)),
        };
    }
    let alternatives: Vec<&Value> = list(&node["anyOf"]).filter(|node| node["type"] != "null").collect();
    if alternatives.iter().any(|node| node.get("type").is_some() || node.get("$ref").is_some()) {
        let words: Vec<String> = alternatives.into_iter().map(|node| type_of(schema, node)).collect();
        return words.join(", or ");
    }
    if !node["oneOf"].is_null() {
        return "one of the values below".to_owned();
    }
    let format = match node["format"].as_str() {
        _ if !alternatives.is_empty() => "date or time".to_owned(),
        Some("regex") => "regular expression".to_owned(),
        _ => scalar(schema, node),
    };
    let pattern = node["pattern"].as_str().map(|pattern| format!(" that matches `{pattern}`")).unwrap_or_default();
    format + &pattern + &range(node)
}

fn scalar(schema: &Schema<'_>, node: &Value) -> String {
    let types: Vec<&str> = match &node["type"] {
        Value::String(name) => vec![name],
        names => list(names).filter_map(Value::as_str).filter(|name| *name != "null").collect(),
    };
    match types.as_slice() {
        ["array"] => format!("list of {}", type_of(schema, &node["items"])),
        ["object"] if node["properties"].is_null() => {
            format!("map from string to {}", type_of(schema, &node["additionalProperties"]))
        }
        ["object"] => "map with the keys below".to_owned(),
        names => names.join(" or "),
    }
}

fn range(node: &Value) -> String {
    match (&node["minimum"], &node["maximum"]) {
        (Value::Number(least), Value::Number(most)) => format!(" from {least} to {most}"),
        (Value::Number(least), _) => format!(" from {least}"),
        _ => String::new(),
    }
}

/// A link to the section of a type, or to its first key.
fn named(schema: &Schema<'_>, name: &str) -> Option<String> {
    if schema.shared().any(|shared| shared == name) {
        return Some(format!("[`{name}`](#{})", anchor(&format!("type-{name}"))));
    }
    let owner = schema.types().find(|known| *known == name)?;
    let first = schema.keys(owner).into_iter().next()?;
    Some(format!("[`{name}`](#{})", anchor(&first.name())))
}

/// The values that are permitted, if they are listed.
fn values(schema: &Schema<'_>, node: &Value) -> String {
    let lines: Vec<String> = constants(schema, node)
        .map(|value| {
            let word = value["const"].as_str().unwrap_or_default();
            format!("  - `{word}`: {}\n", value["description"].as_str().unwrap_or_default())
        })
        .collect();
    if lines.is_empty() { String::new() } else { format!("- Values:\n{}", lines.concat()) }
}

/// The constants that a value, or an element of it, may be.
fn constants<'s>(schema: &Schema<'s>, node: &'s Value) -> Box<dyn Iterator<Item = &'s Value> + 's> {
    if let Some(name) = reference(node) {
        // A type with a section lists its own values.
        let is_listed = schema.shared().any(|shared| shared == name);
        let definition = schema.definition(name);
        return if is_listed { Box::new(std::iter::empty()) } else { constants(schema, definition) };
    }
    let own = list(&node["oneOf"]);
    let inner: Vec<&Value> = [&node["items"], &node["additionalProperties"]]
        .into_iter()
        .chain(list(&node["anyOf"]))
        .filter(|part| !part.is_null())
        .flat_map(|part| constants(schema, part).collect::<Vec<_>>())
        .collect();
    Box::new(own.chain(inner))
}

/// The checks that have an option, each with its default.
fn checks(key: &Key<'_>) -> String {
    if key.owner != "CheckSetting" {
        return String::new();
    }
    let with_option = registry::all().filter_map(|check| {
        let option = check.options.iter().find(|option| option.name() == key.key)?;
        Some(match option {
            CheckOption::Optional(_, default) => format!("  - `{}`; by default {default}\n", check.id),
            CheckOption::RequireOneOf(_) => {
                format!("  - `{}`, which finds nothing without {}\n", check.id, required(check.options))
            }
        })
    });
    let lines: String = with_option.collect();
    if lines.is_empty() { String::new() } else { format!("- Checks:\n{lines}") }
}

/// The options of which a check needs one: `allow` or `deny`.
fn required(options: &[CheckOption]) -> String {
    let required = options.iter().filter(|option| matches!(option, CheckOption::RequireOneOf(_)));
    required.map(|option| format!("`{}`", option.name())).collect::<Vec<_>>().join(" or ")
}

/// What the schema says about a type, on one line if it is a sentence of several lines.
fn sentence_of<'s>(schema: &Schema<'s>, name: &str) -> &'s str {
    schema.definition(name)["description"].as_str().unwrap_or_default()
}

/// The first sentence of a text, for a table.
fn first_sentence(text: &str) -> String {
    let line = text.replace('\n', " ");
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    line[..end].replace('|', "\\|")
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    portcullis_testing::page::anchor(heading)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
