//! An object as far as it can be decoded: unreadable parts are reported, and the rest is decoded without them.
//!
//! Decoding never denies. `object/unreadable` reports an unreadable field, or `ingress-route/shape-mismatch` that of an IngressRoute. It
//! denies if the field is [decisive]; otherwise it warns, and the rest is checked.

use serde::de::DeserializeSeed;
use serde_path_to_error::{Deserializer, Track};

use super::alike::alike;
use super::ingress::Classes;
use super::mask::{Mask, Masked};
use super::{DecodeError, Kind, Object, ObjectSeed, decisive, decode, decode_error};

/// The maximum number of unreadable fields that are left out of an object. Fields of one type in all elements of a list
/// count as one. Each needs another pass over the text.
const MAX_DECODE_ERRORS: usize = 6;
/// The maximum number of list elements in which a field with one wrong type is left out.
const MAX_ALIKE: usize = 512;

/// An object, and the errors of its unreadable parts.
#[derive(Debug)]
pub struct Partial<'a> {
    /// The object without the unreadable parts; `None` if it cannot be decoded even so.
    pub object: Option<Object<'a>>,
    /// The errors, in document order.
    pub decode_errors: Vec<DecodeError>,
}

impl<'a> Partial<'a> {
    /// Decodes `json` as an object of `kind`.
    pub fn read(kind: Kind, json: &'a str) -> Self {
        match decode(kind, json) {
            Ok(object) => Self { object: Some(object), decode_errors: Vec::new() },
            Err(_) => Self::of_unreadable(kind, json),
        }
    }

    /// The classes that may serve the object. None if one of the fields that name them is unreadable, since it may name any class.
    pub fn classes(&self) -> Classes<'_> {
        let is_unknown = self.decode_errors.iter().any(|error| decisive::names_class(&error.at));
        self.object.as_ref().filter(|_| !is_unknown).map(Object::classes).unwrap_or_default()
    }

    /// Decodes JSON that is known not to be a readable object of `kind` as a whole.
    pub fn of_unreadable(kind: Kind, json: &'a str) -> Self {
        let (mut mask, mut decode_errors) = (Mask::default(), Vec::new());
        for pass in 1..=MAX_DECODE_ERRORS {
            let error = match read_behind(&mask, kind, json) {
                Ok(object) => return Self { object: Some(object), decode_errors },
                Err(error) => error,
            };
            // A masked field is not decoded again, so an error at a masked address means that masking does not help.
            let may_be_left_out = !error.at.segments().is_empty() && mask.add(&error.at) && pass < MAX_DECODE_ERRORS;
            let alike = if may_be_left_out { alike(json, error.clone(), MAX_ALIKE) } else { None };
            let Some(alike) = alike else {
                decode_errors.push(error);
                break;
            };
            alike.iter().for_each(|error| {
                mask.add(&error.at);
            });
            decode_errors.extend(alike);
        }
        // The rest of this object is not checked, so at least one of its errors must be decisive.
        if !decode_errors.iter().any(|error| decisive::decides(kind, &error.at)) {
            decode_errors.push(decode_error::too_many(MAX_DECODE_ERRORS));
        }
        Self { object: None, decode_errors }
    }

    /// The object, if all fields are readable that decide which object gets which traffic.
    pub fn decided(self, kind: Kind) -> Result<Object<'a>, Vec<DecodeError>> {
        let is_decided = self.decode_errors.iter().all(|error| !decisive::decides(kind, &error.at));
        self.object.filter(|_| is_decided).ok_or(self.decode_errors)
    }
}

impl DecodeError {
    /// Returns the first reason why `json` cannot be decoded as an object of `kind`.
    pub fn of(kind: Kind, json: &str) -> Self {
        Partial::of_unreadable(kind, json).decode_errors.into_iter().next().unwrap_or_default()
    }
}

fn read_behind<'a>(mask: &Mask, kind: Kind, json: &'a str) -> Result<Object<'a>, DecodeError> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let mut track = Track::new();
    let read = ObjectSeed(kind).deserialize(Deserializer::new(Masked::new(&mut reader, mask), &mut track));
    let object = read.map_err(|error| decode_error::of_reader(&track.path(), &error))?;
    reader.end().map_err(|error| decode_error::of_whole_text(&error))?;
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: Kind, json: &str) -> (bool, Vec<String>) {
        let partial = Partial::read(kind, json);
        (partial.object.is_some(), partial.decode_errors.iter().map(|error| error.at.to_string()).collect())
    }

    #[test]
    fn a_field_of_another_shape_is_left_out_and_the_rest_is_read() {
        let json = r#"{"metadata": {"name": "a"}, "spec": {"hostnames": ["a.com"], "rules": [
            {"backendRefs": [{"name": "b", "weight": "many", "port": 80}, {"weight": {"of": [1]}}], "timeouts": 5},
            {"name": [], "backendRefs": [{"name": "c", "weight": 2}]}]}}"#;
        let Partial { object, decode_errors } = Partial::read(Kind::HttpRoute, json);
        let at: Vec<String> = decode_errors.iter().map(|error| error.at.to_string()).collect();
        let expected = [
            "spec.rules[0].backendRefs[0].weight",
            "spec.rules[0].backendRefs[1].weight",
            "spec.rules[0].timeouts",
            "spec.rules[1].name",
        ];
        assert_eq!(at, expected);
        let Some(Object::HttpRoute(route)) = object else { panic!("{json}") };
        let backends: Vec<_> = route.spec.rules().iter().flat_map(|rule| &rule.backend_refs).collect();
        let read: Vec<_> = backends.iter().map(|backend| (&*backend.name, backend.port, backend.weight)).collect();
        assert_eq!(read, [("b", Some(80), None), ("", None, None), ("c", None, Some(2))]);
        assert_eq!(route.spec.hostnames[0], "a.com".into());
    }

    #[test]
    fn only_malformed_elements_of_a_list_are_left_out() {
        let listener = |port: &str| format!(r#"{{"name": "a", "port": {port}}}"#);
        let ports = ["80", r#""eighty""#, "81", r#""many""#, "null", "[]", "1e2"];
        let listeners: Vec<String> = ports.into_iter().map(listener).collect();
        let json = format!(r#"{{"spec": {{"listeners": [{}]}}}}"#, listeners.join(","));
        let Partial { object, decode_errors } = Partial::read(Kind::Gateway, &json);
        let messages: Vec<String> = decode_errors.iter().map(ToString::to_string).collect();
        let expected = [
            "spec.listeners[1].port: invalid type: string \"eighty\", expected a whole number",
            "spec.listeners[3].port: invalid type: string \"many\", expected a whole number",
            "spec.listeners[5].port: invalid type: sequence, expected a whole number",
        ];
        assert_eq!(messages, expected);
        let Some(Object::Gateway(gateway)) = object else { panic!("{json}") };
        let read: Vec<_> = gateway.spec.listeners.iter().map(|listener| listener.port).collect();
        assert_eq!(read, [Some(80), None, Some(81), None, None, None, Some(100)]);
    }

    #[test]
    fn a_list_whose_elements_all_drifted_is_left_out_up_to_a_bound() {
        let json = |number: usize| {
            let backends = vec![r#"{"name": "a", "weight": "many"}"#; number].join(",");
            format!(r#"{{"spec": {{"rules": [{{"backendRefs": [{backends}]}}]}}}}"#)
        };
        let (is_read, decode_errors) = read(Kind::HttpRoute, &json(MAX_ALIKE));
        assert_eq!((is_read, decode_errors.len()), (true, MAX_ALIKE));
        assert!(!read(Kind::HttpRoute, &json(MAX_ALIKE + 1)).0);
    }

    #[test]
    fn keys_of_maps_are_left_out_one_by_one() {
        let json = r#"{"metadata": {"annotations": {"a.com/b": 1, "c": "d"}, "labels": {"e": ["f"], "g": "h"}}}"#;
        let Partial { object, decode_errors } = Partial::read(Kind::Gateway, json);
        let at: Vec<String> = decode_errors.iter().map(|error| error.at.to_string()).collect();
        assert_eq!(at, ["metadata.annotations[a.com/b]", "metadata.labels.e"]);
        let object = object.expect("the rest can be read");
        assert_eq!(object.metadata().annotations.get("c"), Some(&"d".into()));
        assert_eq!(object.metadata().labels.get("g"), Some(&"h".into()));
    }

    #[test]
    fn json_without_a_valid_part_yields_no_object() {
        assert_eq!(read(Kind::Ingress, "[]"), (false, vec![String::new()]));
        assert_eq!(read(Kind::Ingress, "{} {}"), (false, vec![String::new()]));
        assert_eq!(read(Kind::Ingress, "{"), (false, vec![String::new()]));
        let many: Vec<String> = (0..20).map(|index| format!(r#""k{index}": 1"#)).collect();
        let json = format!(r#"{{"metadata": {{"labels": {{{}}}}}}}"#, many.join(","));
        let (is_read, decode_errors) = read(Kind::Ingress, &json);
        assert_eq!((is_read, decode_errors.len()), (false, MAX_DECODE_ERRORS));
    }

    #[test]
    fn object_that_cannot_be_read_has_a_decisive_error() {
        let fields = ["timeouts", "name", "retry", "sessionPersistence"];
        let rule = |field: &str| format!(r#"{{"{field}": 5}}"#);
        let backend = |field: &str| format!(r#"{{"backendRefs": [{{"{field}": "many"}}]}}"#);
        let rules = fields.map(rule).into_iter().chain(["weight", "port", "filters"].map(backend));
        let json = format!(r#"{{"spec": {{"rules": [{}]}}}}"#, rules.collect::<Vec<_>>().join(","));
        let Partial { object, decode_errors } = Partial::read(Kind::HttpRoute, &json);
        assert!(object.is_none(), "{decode_errors:#?}");
        let decides = |error: &DecodeError| decisive::decides(Kind::HttpRoute, &error.at);
        assert!(decode_errors.iter().any(decides), "{decode_errors:#?}");
    }

    #[test]
    fn deep_nesting_does_not_stop_the_reader() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let json = format!(r#"{{"spec": {{"rules": [{{"timeouts": {deep}}}], "unknown": {deep}}}}}"#);
        assert_eq!(read(Kind::HttpRoute, &json), (true, vec!["spec.rules[0].timeouts".to_owned()]));
    }
}
