//! The user of a write that a command evaluates.

use clap::Args;

use portcullis_core::cluster::{Extra, User};

/// A user with groups.
#[derive(Debug, Args)]
pub(super) struct UserArgs {
    /// The user who would make the write.
    #[arg(long = "as", value_name = "USER")]
    user: Option<String>,
    /// A group of the user; may be repeated.
    #[arg(long = "as-group", value_name = "GROUP", requires = "user")]
    groups: Vec<String>,
    #[arg(skip)]
    extra: Extra,
}

impl UserArgs {
    /// Sets the user, unless one is named.
    pub(super) fn or_named(&mut self, name: String) {
        self.user.get_or_insert(name);
    }

    /// The user; `None` if no one is named.
    pub(super) fn user(&self) -> Option<User<'_>> {
        let Self { user, groups, extra } = self;
        user.as_deref().map(|name| User { name, groups, extra })
    }
}
