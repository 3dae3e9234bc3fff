//! The transitions of conditions to a bad state, which are reported as Events.

use serde_json::Value;

/// The types of conditions that are bad while they are `True`.
const NEGATIVE: [&str; 4] = ["Conflicted", "PartiallyInvalid", "OverlappingTLSConfig", "InvalidParameters"];

/// A condition that became bad, or bad for another reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The type of the condition, and where it is.
    pub condition: String,
    /// The reason of the condition.
    pub reason: String,
    /// The type of the condition, where it is, and its message.
    pub message: String,
}

/// The conditions of the status `after` that are bad, and were not bad for the same reason in `before`. In lists that
/// several controllers share, only the entries of `controller` count.
pub fn bad_transitions(before: &Value, after: &Value, controller: &str) -> Vec<Transition> {
    let mut found = Vec::new();
    add("", before, after, &mut found);
    for (field, key) in [("listeners", "name"), ("parents", "parentRef"), ("ancestors", "ancestorRef")] {
        let is_shared = field != "listeners";
        let own = list(after, field).filter(|entry| !is_shared || entry["controllerName"] == *controller);
        for entry in own {
            let is_same =
                |known: &&Value| known[key] == entry[key] && known["controllerName"] == entry["controllerName"];
            let known = list(before, field).find(is_same).unwrap_or(&Value::Null);
            add(&place(field, &entry[key]), known, entry, &mut found);
        }
    }
    found
}

fn list<'v>(status: &'v Value, field: &str) -> impl Iterator<Item = &'v Value> {
    status[field].as_array().into_iter().flatten()
}

/// The name of an entry in a message, with a colon.
fn place(field: &str, reference: &Value) -> String {
    match (field, reference) {
        ("listeners", Value::String(name)) => format!("listener {name}: "),
        (_, reference) => {
            let text = |name: &str| reference[name].as_str().unwrap_or_default().to_owned();
            let section = text("sectionName");
            let section = if section.is_empty() { section } else { format!(" section {section}") };
            format!("{} {}{section}: ", text("kind"), text("name"))
        }
    }
}

fn add(place: &str, before: &Value, after: &Value, found: &mut Vec<Transition>) {
    for condition in list(after, "conditions").filter(|condition| is_bad(condition)) {
        let known = list(before, "conditions").find(|known| known["type"] == condition["type"]);
        let is_same = |known: &Value| known["status"] == condition["status"] && known["reason"] == condition["reason"];
        if known.is_some_and(is_same) {
            continue;
        }
        let text = |field: &str| condition[field].as_str().unwrap_or_default();
        let own = format!("{place}{}", text("type"));
        let message = format!("{own}={}: {}", text("status"), text("message"));
        found.push(Transition { condition: own, reason: text("reason").to_owned(), message });
    }
}

fn is_bad(condition: &Value) -> bool {
    let is_negative = condition["type"].as_str().is_some_and(|name| NEGATIVE.contains(&name));
    condition["status"] == if is_negative { "True" } else { "False" }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn condition(type_name: &str, status: &str, reason: &str) -> Value {
        json!({"type": type_name, "status": status, "reason": reason, "message": "why"})
    }

    #[test]
    fn only_a_condition_that_becomes_bad_is_a_transition() {
        let good =
            json!({"conditions": [condition("Accepted", "True", "Accepted"), condition("Conflicted", "False", "No")]});
        let bad =
            json!({"conditions": [condition("Accepted", "False", "Invalid"), condition("Conflicted", "True", "Yes")]});
        let reasons = |before: &Value, after: &Value| -> Vec<String> {
            bad_transitions(before, after, "own").into_iter().map(|transition| transition.reason).collect()
        };
        assert_eq!(reasons(&good, &bad), ["Invalid", "Yes"]);
        assert_eq!(reasons(&Value::Null, &bad), ["Invalid", "Yes"]);
        assert!(reasons(&bad, &bad).is_empty() && reasons(&bad, &good).is_empty());
    }

    #[test]
    fn entries_of_other_controllers_do_not_count() {
        let entry = |controller: &str| {
            json!({"controllerName": controller, "parentRef": {"kind": "Gateway", "name": "edge", "sectionName": "web"},
                   "conditions": [condition("Accepted", "False", "NoMatchingParent")]})
        };
        let after = json!({"parents": [entry("other"), entry("own")]});
        let message = "Gateway edge section web: Accepted=False: why".to_owned();
        let condition = "Gateway edge section web: Accepted".to_owned();
        let expected = Transition { condition, reason: "NoMatchingParent".to_owned(), message };
        assert_eq!(bad_transitions(&Value::Null, &after, "own"), [expected]);
    }
}
