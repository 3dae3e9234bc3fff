//! The keys in a JSON schema, by the type that has them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The type of the whole configuration.
pub const ROOT: &str = "";

/// A JSON schema. A type without a name of its own counts as a part of the named type that contains it.
pub struct Schema<'s> {
    root: &'s Value,
    /// The types with keys, in the order in which they are reached, each with the number of keys that lead to it.
    types: Vec<(&'s str, usize)>,
}

/// A key of a type.
pub struct Key<'s> {
    /// The type; [`ROOT`] for the configuration.
    pub owner: &'s str,
    /// The key.
    pub key: &'s str,
    /// What the schema says about its value.
    pub node: &'s Value,
    /// Whether it must be set.
    pub is_required: bool,
}

impl<'s> Key<'s> {
    /// Its name in the reference.
    pub fn name(&self) -> String {
        if self.owner == ROOT { self.key.to_owned() } else { format!("{}.{}", self.owner, self.key) }
    }

    /// What it means, without the example.
    pub fn sentence(&self) -> &'s str {
        let text = self.node["description"].as_str().unwrap_or_default();
        text.split_once("\n\n```").map_or(text, |(sentence, _)| sentence)
    }

    /// The YAML block in its description.
    pub fn example(&self) -> Option<&'s str> {
        let (_, block) = self.node["description"].as_str()?.split_once("```yaml\n")?;
        block.strip_suffix("```")
    }
}

impl<'s> Schema<'s> {
    /// The types and keys of a schema.
    pub fn of(root: &'s Value) -> Self {
        let mut schema = Self { root, types: vec![(ROOT, 1)] };
        let mut position = 0;
        while position < schema.types.len() {
            for key in schema.keys(schema.types[position].0) {
                for name in schema.named(key.node) {
                    match schema.types.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, count)) => *count += 1,
                        None => schema.types.push((name, 1)),
                    }
                }
            }
            position += 1;
        }
        schema
    }

    /// The types with keys.
    pub fn types(&self) -> impl Iterator<Item = &'s str> {
        self.types.iter().map(|(name, _)| *name)
    }

    /// The types with keys to which several keys lead.
    pub fn shared(&self) -> impl Iterator<Item = &'s str> {
        self.types.iter().filter(|(_, count)| *count > 1).map(|(name, _)| *name)
    }

    /// The definition of a type.
    pub fn definition(&self, name: &str) -> &'s Value {
        if name == ROOT { self.root } else { &self.root["$defs"][name] }
    }

    /// The keys of a type, by name.
    pub fn keys(&self, owner: &'s str) -> Vec<Key<'s>> {
        let definition = self.definition(owner);
        let alternatives = definition["anyOf"].as_array().into_iter().flatten();
        let objects = std::iter::once(definition).chain(alternatives);
        let of_object = |object: &'s Value| {
            let required: Vec<&str> = list(&object["required"]).filter_map(Value::as_str).collect();
            let properties = object["properties"].as_object().into_iter().flatten();
            properties.map(move |(key, node)| Key { owner, key, node, is_required: required.contains(&key.as_str()) })
        };
        objects.flat_map(of_object).collect()
    }

    /// The types with keys that a value may contain, outermost ones only.
    pub fn named(&self, node: &'s Value) -> Vec<&'s str> {
        if let Some(name) = reference(node) {
            let inner = self.definition(name)["anyOf"].as_array().into_iter().flatten();
            return match self.keys(name).is_empty() {
                true => inner.flat_map(|node| self.named(node)).collect(),
                false => vec![name],
            };
        }
        let alternatives = ["anyOf", "oneOf"].into_iter().flat_map(|word| list(&node[word]));
        let parts = [&node["items"], &node["additionalProperties"]].into_iter().chain(alternatives);
        parts.filter(|part| !part.is_null()).flat_map(|part| self.named(part)).collect()
    }

    /// The keys that a configuration sets, each with its type.
    pub fn reached(&self, value: &Value) -> BTreeSet<(&'s str, &'s str)> {
        let mut reached = BTreeSet::new();
        self.reach((ROOT, self.root), value, &mut reached);
        reached
    }

    fn reach(&self, (owner, node): (&'s str, &'s Value), value: &Value, reached: &mut BTreeSet<(&'s str, &'s str)>) {
        if let Some(name) = reference(node) {
            return self.reach((name, self.definition(name)), value, reached);
        }
        for part in ["anyOf", "oneOf"].into_iter().flat_map(|word| list(&node[word])) {
            self.reach((owner, part), value, reached);
        }
        for item in list(value) {
            self.reach((owner, &node["items"]), item, reached);
        }
        let properties: BTreeMap<&str, (&'s str, &'s Value)> =
            node["properties"].as_object().into_iter().flatten().map(|(key, node)| (&**key, (&**key, node))).collect();
        for (key, inner) in value.as_object().into_iter().flatten() {
            match properties.get(key.as_str()) {
                Some((key, node)) => {
                    reached.insert((owner, *key));
                    self.reach((owner, node), inner, reached);
                }
                None => self.reach((owner, &node["additionalProperties"]), inner, reached),
            }
        }
    }
}

/// The name of the type that a schema refers to.
pub fn reference(node: &Value) -> Option<&str> {
    node["$ref"].as_str()?.strip_prefix("#/$defs/")
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
