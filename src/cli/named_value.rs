//! Arguments that are one of several named values.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Parses one of `values` by its name in the configuration.
pub(super) fn one_of<T, const N: usize>(values: [T; N], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(values.map(name)).try_map(move |word| {
        let named = values.into_iter().find(|value| name(*value).eq_ignore_ascii_case(&word));
        named.ok_or_else(|| format!("`{word}` is not known"))
    })
}
