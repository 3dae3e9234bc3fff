//! Namespace and name as a key that can be looked up without copying either.

use hashbrown::Equivalent;

/// The namespace and the name of an object.
pub type Name = (Box<str>, Box<str>);

/// Namespace and name, borrowed for a look-up.
#[derive(Debug, Clone, Copy, Hash)]
pub struct NameRef<'n>(pub &'n str, pub &'n str);

impl Equivalent<Name> for NameRef<'_> {
    fn equivalent(&self, (namespace, name): &Name) -> bool {
        (self.0, self.1) == (&**namespace, &**name)
    }
}

impl From<&NameRef<'_>> for Name {
    fn from(NameRef(namespace, name): &NameRef<'_>) -> Self {
        ((*namespace).into(), (*name).into())
    }
}
