//! The classes of hosts that two sets of objects tell apart, each with an example.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::matching::Host;

/// Hosts that the same names match.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostClass {
    /// Exactly this host.
    Is(String),
    /// One label below this host, where no longer name matches.
    OneLabelUnder(String),
    /// More than one label below this host, where no longer name matches.
    Under(String),
    /// All hosts that no name matches.
    Other,
}

impl fmt::Display for HostClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(host) => f.write_str(host),
            Self::OneLabelUnder(host) => write!(f, "*.{host}"),
            Self::Under(host) => write!(f, "*.*.{host}"),
            Self::Other => f.write_str("other hosts"),
        }
    }
}

/// The host that is the example of the class of `host`, among all classes.
pub(crate) fn example_of<'c>(classes: &'c BTreeMap<HostClass, String>, host: &str) -> Option<&'c str> {
    let suffixes = host.match_indices('.').map(|(dot, _)| host[dot + 1..].to_owned()).enumerate();
    let above = suffixes.map(|(labels, suffix)| match labels {
        0 => HostClass::OneLabelUnder(suffix),
        _ => HostClass::Under(suffix),
    });
    let mut own = std::iter::once(HostClass::Is(host.to_owned())).chain(above).chain([HostClass::Other]);
    own.find_map(|class| classes.get(&class)).map(String::as_str)
}

/// Each class with a host of it.
pub(super) fn classes(names: &BTreeSet<Host<'_>>) -> Vec<(HostClass, String)> {
    let is_label = |word: &str| names.iter().any(|name| name.parts().1.split('.').any(|label| label == word));
    let mut label = "x".to_owned();
    while is_label(&label) {
        label.push('x');
    }
    let mut all: BTreeSet<(HostClass, String)> = BTreeSet::new();
    for name in names {
        match name {
            Host::Precise(host) => drop(all.insert((HostClass::Is(host.to_string()), host.to_string()))),
            Host::Wildcard(host) => {
                all.insert((HostClass::OneLabelUnder(host.to_string()), format!("{label}.{host}")));
                all.insert((HostClass::Under(host.to_string()), format!("{label}.{label}.{host}")));
            }
            Host::Any => {}
        }
    }
    all.insert((HostClass::Other, label));
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_a_class_is_no_other_name() {
        let names = ["a.com", "*.a.com", "x.a.com", ""].map(Host::parse).into();
        let found = classes(&names).into_iter().map(|(class, example)| format!("{class}: {example}"));
        let expected =
            ["a.com: a.com", "x.a.com: x.a.com", "*.a.com: xx.a.com", "*.*.a.com: xx.xx.a.com", "other hosts: xx"];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        let all: BTreeMap<HostClass, String> = classes(&names).into_iter().collect();
        let hosts = ["a.com", "y.a.com", "y.x.a.com", "z.y.x.a.com", "com", "b.org"];
        let examples = hosts.map(|host| example_of(&all, host));
        assert_eq!(examples, ["a.com", "xx.a.com", "xx.xx.a.com", "xx.xx.a.com", "xx", "xx"].map(Some));
    }
}
