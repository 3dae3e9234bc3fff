//! The table of annotations that separate Ingresses of one class: by serving them on different listeners, or by
//! conditions on requests beyond host and path.

mod values;

use super::controller::Controller::{
    self, Alibaba, Aws, Azure, AzureContainers, Cilium, Citrix, F5BigIp, HaproxyIngress, Higress, Huawei, Kong, Oracle,
    Skipper, Tencent, Traefik,
};
use super::expressions::Expressions;
use super::overlap::Overlap;
use super::overlapping_values;
use super::readers::{Direction, Readers};
use crate::kinds::Ingress;

/// An annotation that makes a choice.
#[derive(Debug)]
struct Separator {
    /// The keys, of which the first one present counts. A trailing `*` matches any text, which is then part of the
    /// choice.
    keys: &'static [&'static str],
    /// The controllers that read it.
    readers: &'static [Controller],
    syntax: Syntax,
}

/// What the value of an annotation chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// One listener or address; without the annotation, the one with this name.
    One(&'static str),
    /// An IP address; without the annotation, the one with this name. Any other value chooses nothing.
    Address(&'static str),
    /// A TCP port, on which requests do not name a host. Without the annotation, or with an invalid port or an HTTP
    /// port, the Ingress is an ordinary one.
    TcpPort,
    /// Some listeners or values, separated by commas or white space; without the annotation, all of them.
    Some,
    /// Some methods, separated by this character; without the annotation, or with an entry that is not a method, all of
    /// them.
    Methods(char),
    /// A boolean; without the annotation, or with any other value, it is false.
    Flag,
    /// Any of these annotations, unless it is `false`: TLS, of which plain connections are ignored. Without them, plain
    /// connections if the annotation with this key lists only `web`, the plain entry point of an installation by Helm.
    Transport(&'static str),
    /// A port; without the annotation, 80 or 443.
    Port,
    /// A plain-text port, beside the TLS port in the annotation with this key; without both, 80 and, if the Ingress has
    /// TLS, 443.
    Ports(&'static str),
    /// A plain-text port, beside the TLS port in the annotation with this key; without both, the ports of the backends.
    /// Any other annotation with the prefix of the key shows that the Ingress is written for its controller.
    PortsOfBackends(&'static str),
    /// The ports of a load balancer, as JSON. Without the annotation, 443 if the annotation with this key has a value, otherwise 80,
    /// unless parameters of the class or `spec.tls` add 443.
    JsonPorts(&'static str),
    /// `dedicated` for a load balancer of its own, or `shared`; without the annotation, or with any other value, the
    /// installation decides.
    Mode,
    /// Conditions of a load balancer, as JSON, for the Service that the key names.
    Conditions,
    /// Predicates of Skipper.
    Predicates,
    /// Headers, one per line, each with its required value.
    Headers,
    /// All annotations with these keys that contain `match`: tests of the request. A request may pass the tests of
    /// several Ingresses.
    Tests,
}

/// Each row follows the documentation or source code of its controllers.
static SEPARATORS: &[Separator] = &[
    row(
        &["alb.ingress.kubernetes.io/listen-ports"],
        &[Aws, Alibaba],
        Syntax::JsonPorts("alb.ingress.kubernetes.io/certificate-arn"),
    ),
    row(&["alb.ingress.kubernetes.io/conditions.*"], &[Aws, Alibaba], Syntax::Conditions),
    row(&["appgw.ingress.kubernetes.io/override-frontend-port"], &[Azure], Syntax::Port),
    row(&["appgw.ingress.kubernetes.io/use-private-ip"], &[Azure], Syntax::Flag),
    row(&["alb.networking.azure.io/alb-id"], &[AzureContainers], Syntax::One("")),
    row(&["alb.networking.azure.io/alb-frontend"], &[AzureContainers], Syntax::One("")),
    row(&["alb.networking.azure.io/alb-namespace"], &[AzureContainers], Syntax::One("")),
    row(&["alb.networking.azure.io/alb-name"], &[AzureContainers], Syntax::One("")),
    row(&["ingress.cilium.io/loadbalancer-mode", "io.cilium.ingress/loadbalancer-mode"], &[Cilium], Syntax::Mode),
    row(&["ingress.citrix.com/frontend-ip"], &[Citrix], Syntax::Address("")),
    row(&["ingress.citrix.com/insecure-port"], &[Citrix], Syntax::Ports("ingress.citrix.com/secure-port")),
    row(&["virtual-server.f5.com/ip"], &[F5BigIp], Syntax::Address("controller-default")),
    row(&["virtual-server.f5.com/http-port"], &[F5BigIp], Syntax::Ports("virtual-server.f5.com/https-port")),
    row(&["virtual-server.f5.com/partition"], &[F5BigIp], Syntax::One("")),
    row(
        &["haproxy-ingress.github.io/tcp-service-port", "ingress.kubernetes.io/tcp-service-port"],
        &[HaproxyIngress],
        Syntax::TcpPort,
    ),
    row(
        &["haproxy-ingress.github.io/http-header-match", "ingress.kubernetes.io/http-header-match"],
        &[HaproxyIngress],
        Syntax::Headers,
    ),
    row(&["haproxy-ingress.github.io/http-*", "ingress.kubernetes.io/http-*"], &[HaproxyIngress], Syntax::Tests),
    row(
        &["higress.io/exact-match-*", "higress.io/prefix-match-*", "higress.io/regex-match-*"],
        &[Higress],
        Syntax::Tests,
    ),
    row(&["higress.io/match-method", "mse.ingress.kubernetes.io/match-method"], &[Higress], Syntax::Methods(' ')),
    row(&["higress.io/exact-match-header-*"], &[Higress], Syntax::Some),
    row(&["higress.io/exact-match-query-*"], &[Higress], Syntax::Some),
    row(&["kubernetes.io/elb.port"], &[Huawei], Syntax::Port),
    row(&["konghq.com/methods"], &[Kong], Syntax::Methods(',')),
    row(&[KONG_HEADERS], &[Kong], Syntax::Some),
    row(
        &["oci-native-ingress.oraclecloud.com/http-listener-port"],
        &[Oracle],
        Syntax::PortsOfBackends("oci-native-ingress.oraclecloud.com/https-listener-port"),
    ),
    row(&["zalando.org/skipper-predicate"], &[Skipper], Syntax::Predicates),
    row(&["ingress.cloud.tencent.com/listen-ports"], &[Tencent], Syntax::JsonPorts("")),
    row(&["traefik.ingress.kubernetes.io/router.entrypoints"], &[Traefik], Syntax::Some),
    row(
        &["traefik.ingress.kubernetes.io/router.tls", "traefik.ingress.kubernetes.io/router.tls.*"],
        &[Traefik],
        Syntax::Transport("traefik.ingress.kubernetes.io/router.entrypoints"),
    ),
];

const fn row(keys: &'static [&'static str], readers: &'static [Controller], syntax: Syntax) -> Separator {
    Separator { keys, readers, syntax }
}

/// The keys of all rows, each with the controllers that read it.
pub fn keys() -> impl Iterator<Item = (&'static str, &'static [Controller])> {
    let secure = |separator: &'static Separator| match separator.syntax {
        Syntax::Ports(key) | Syntax::PortsOfBackends(key) => Some(key),
        _ => None,
    };
    SEPARATORS.iter().flat_map(move |separator| {
        separator.keys.iter().copied().chain(secure(separator)).map(|key| (key, separator.readers))
    })
}

/// What one annotation of an Ingress chooses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// The index of its row.
    row: u8,
    /// What the choice applies to, if a row has several annotations or conditions.
    about: Box<str>,
    /// The possible values, sorted.
    values: Box<[Box<str>]>,
}

/// The choices of the annotations of `ingress`, ordered by row and by what they apply to, each once.
pub fn of(ingress: &Ingress<'_>) -> Box<[Choice]> {
    if ingress.metadata.annotations.0.is_empty() {
        return Box::default();
    }
    let mut choices = Vec::new();
    for (separator, row) in SEPARATORS.iter().zip(0..) {
        choices.extend(separator.values(ingress).into_iter().map(|(about, mut values)| {
            values.sort_unstable();
            values.dedup();
            Choice { row, about: about.into(), values: values.into() }
        }));
    }
    choices.sort();
    choices.dedup_by(|next, first| (next.row, &next.about) == (first.row, &first.about));
    choices.into()
}

/// Whether two Ingresses with these choices serve common requests in a data plane whose controllers are `readers`. If
/// it is only `assumed` that these controllers read the annotations, a choice that only one of the two Ingresses makes
/// does not separate them for certain.
pub fn overlap(
    one: &[Choice],
    other: &[Choice],
    readers: Readers,
    assumed: bool,
    expressions: &Expressions,
) -> Overlap {
    let read = |(_, separator): &(u8, &Separator)| readers.count(Direction::Relaxes, separator.readers);
    if readers == Readers::Any && one.is_empty() && other.is_empty() {
        return Overlap::Certain;
    }
    let rows = (0..).zip(SEPARATORS).filter(read);
    let overlaps = rows.map(|(row, separator)| match separator.overlap(row, (one, other), readers, expressions) {
        Overlap::None if assumed && !has_both(row, one, other) => Overlap::Possible,
        overlap => overlap,
    });
    overlaps.max().unwrap_or(Overlap::Certain)
}

fn has_both(row: u8, one: &[Choice], other: &[Choice]) -> bool {
    [one, other].iter().all(|choices| choices.iter().any(|choice| choice.row == row))
}

/// The choices for which two different values always separate Ingresses, as text.
pub fn exclusive(choices: &[Choice], readers: Readers) -> String {
    let mut text = String::new();
    for choice in choices {
        let separator = &SEPARATORS[usize::from(choice.row)];
        let is_read = matches!(readers, Readers::Only(controller) if separator.readers.contains(&controller));
        if is_read && separator.is_exclusive() && !separator.is_absent(choice) {
            text.extend([separator.keys[0], "=", choice.values.first().map_or("", |value| value), " "]);
        }
    }
    text
}

/// Whether an Ingress with these choices is served on a TCP port, on which requests do not name a host.
pub fn is_tcp(choices: &[Choice], readers: Readers) -> bool {
    readers == Readers::Only(HaproxyIngress)
        && choices.iter().any(|choice| SEPARATORS[usize::from(choice.row)].syntax == Syntax::TcpPort)
}

/// Whether an Ingress with these choices has a load balancer of its own.
pub fn is_alone(choices: &[Choice], readers: Readers) -> bool {
    let is_dedicated = |choice: &Choice| {
        let separator = &SEPARATORS[usize::from(choice.row)];
        let is_read = matches!(readers, Readers::Only(controller) if separator.readers.contains(&controller));
        is_read && separator.syntax == Syntax::Mode && choice.is("dedicated")
    };
    choices.iter().any(is_dedicated)
}

impl Choice {
    fn has(&self, value: &str) -> bool {
        self.values.iter().any(|own| **own == *value)
    }

    fn is(&self, value: &str) -> bool {
        matches!(&*self.values, [own] if **own == *value)
    }
}

impl Separator {
    /// The values, sorted, that are chosen without the annotation; `None` for everything.
    fn absent(&self) -> Option<&'static [&'static str]> {
        match self.syntax {
            Syntax::One("") | Syntax::Address("") | Syntax::TcpPort => Some(&[""]),
            Syntax::One(_) | Syntax::Address(_) => Some(&["controller-default"]),
            Syntax::Flag => Some(&["false"]),
            Syntax::Port | Syntax::Ports(_) | Syntax::JsonPorts(_) => Some(&["443", "80"]),
            Syntax::Some | Syntax::Methods(_) | Syntax::PortsOfBackends(_) | Syntax::Mode | Syntax::Transport(_) => {
                None
            }
            Syntax::Conditions | Syntax::Predicates | Syntax::Headers | Syntax::Tests => None,
        }
    }

    /// Whether two different values always separate two Ingresses.
    const fn is_exclusive(&self) -> bool {
        matches!(self.syntax, Syntax::One(_) | Syntax::Address(_) | Syntax::TcpPort | Syntax::Flag)
    }

    fn is_absent(&self, choice: &Choice) -> bool {
        self.absent().is_some_and(|values| values.iter().any(|value| choice.is(value)))
    }

    fn overlap(
        &self,
        row: u8,
        (one, other): (&[Choice], &[Choice]),
        readers: Readers,
        expressions: &Expressions,
    ) -> Overlap {
        let chosen = || one.iter().chain(other).filter(|choice| choice.row == row);
        let is_apart = match self.syntax {
            Syntax::Mode if chosen().any(|choice| choice.is("dedicated")) => true,
            // Without a mode, the controller's own settings decide.
            Syntax::Mode if matches!(readers, Readers::Only(_)) && chosen().count() < 2 => return Overlap::Possible,
            Syntax::Mode => false,
            // Without a choice, 443 is possible, and 80 is certain unless something adds 443.
            Syntax::JsonPorts(_)
                if chosen().count() == 1 && chosen().any(|choice| choice.has("443") && !choice.has("80")) =>
            {
                return Overlap::Possible;
            }
            _ => {
                let of_other = other.iter().filter(|choice| find(one, row, &choice.about).is_none());
                let chosen = one.iter().chain(of_other).filter(|choice| choice.row == row);
                let overlaps = chosen.map(|choice| match (self.of(row, choice, one), self.of(row, choice, other)) {
                    // One request may pass two different tests of the whole request.
                    (Some(one), Some(other)) if *choice.about == *WHOLE && one != other => Overlap::Possible,
                    (Some(one), Some(other)) => overlapping_values::overlap(&one, &other, expressions),
                    _ => Overlap::Certain,
                });
                return overlaps.max().unwrap_or(Overlap::Certain);
            }
        };
        if is_apart { Overlap::None } else { Overlap::Certain }
    }

    /// The values that `choices` contains for what `choice` applies to; `None` for everything.
    fn of<'c>(&self, row: u8, choice: &Choice, choices: &'c [Choice]) -> Option<Vec<&'c str>> {
        match find(choices, row, &choice.about) {
            Some(own) => Some(own.values.iter().map(|value| &**value).collect()),
            None => self.absent().map(<[&str]>::to_vec),
        }
    }
}

/// The choice of a row about something. The choices are ordered by both.
fn find<'c>(choices: &'c [Choice], row: u8, about: &str) -> Option<&'c Choice> {
    let position = choices.binary_search_by(|own| (own.row, &*own.about).cmp(&(row, about)));
    position.ok().map(|position| &choices[position])
}

/// The values of a header that Kong compares, separated by commas.
const KONG_HEADERS: &str = "konghq.com/headers.*";

/// What a choice applies to if it consists of the whole annotation.
const WHOLE: &str = "the whole request";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_belongs_to_one_row() {
        let mut keys: Vec<_> = SEPARATORS.iter().flat_map(|row| row.keys).collect();
        let number = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), number);
    }
}
