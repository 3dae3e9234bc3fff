//! The hosts of listeners.

use crate::field::At;
use crate::kinds::Listener;
use crate::kinds::listener::{Listeners, has_host};

/// Each listener whose protocol distinguishes hosts, with the address of its host or, if it has none, of the listener.
pub fn answered<'o, 'a>(of: &Listeners<'o, 'a>) -> impl Iterator<Item = (At, &'o Listener<'a>)> + use<'o, 'a> {
    let listeners = of.all.iter().enumerate().filter(|(_, listener)| has_host(&listener.protocol));
    listeners.map(|(index, listener)| match listener.hostname() {
        "" => (At::element("spec.listeners[]", [index]), listener),
        _ => (At::element("spec.listeners[].hostname", [index]), listener),
    })
}
