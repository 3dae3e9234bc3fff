//! A namespace and a name as a key that is asked for without a copy of either.

use hashbrown::Equivalent;

/// The namespace and the name of an object.
pub type Name = (Box<str>, Box<str>);

/// The same, borrowed from who asks.
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
