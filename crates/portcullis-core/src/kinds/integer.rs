//! Integers in every notation that an API server passes on.
//!
//! The API server accepts `-0.0`, `1.0` and `1e2` for integers of a CRD, stores them as floats, and encodes the first
//! as `-0`.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};

/// An integer, decoded from an integer or from a float without a fraction. `null` is 0, as Go decodes it into an
/// element of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Integer(pub(crate) i64);

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        integer_or_none(deserializer).map(|number| Self(number.unwrap_or_default()))
    }
}

/// Decodes an integer field that may be `null`.
pub(crate) fn integer_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    deserializer.deserialize_any(IntegerVisitor)
}

/// Decodes an integer field in which `null` is 0.
pub(crate) fn integer_or_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    Integer::deserialize(deserializer).map(|number| number.0)
}

/// Decodes a list of integers, in which `null` is an empty list.
pub(crate) fn integers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i64>, D::Error> {
    let list = Option::<Vec<Integer>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(list.into_iter().map(|number| number.0).collect())
}

struct IntegerVisitor;

/// 2^63, the smallest float that exceeds the range of an `i64`.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

impl<'de> Visitor<'de> for IntegerVisitor {
    type Value = Option<i64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        i64::try_from(number).map(Some).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        integral(number).map(Some).ok_or_else(|| E::invalid_type(Unexpected::Float(number), &self))
    }
}

/// The value of a float without a fraction as an integer; `None` for other floats.
pub(super) fn integral(number: f64) -> Option<i64> {
    let is_integral = number.fract() == 0.0 && (-BEYOND..BEYOND).contains(&number);
    // The conversion is exact.
    is_integral.then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<i64, String> {
        serde_json::from_str::<Integer>(json).map(|number| number.0).map_err(|error| error.to_string())
    }

    #[test]
    fn a_float_without_a_fraction_is_an_integer() {
        for (json, number) in [
            ("0", 0),
            ("-0", 0),
            ("-0.0", 0),
            ("0e5", 0),
            ("1.0", 1),
            ("1e2", 100),
            ("1E+2", 100),
            ("-100e-2", -1),
            ("2147483647.0", 2_147_483_647),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
            ("-9223372036854775808.0", i64::MIN),
            ("null", 0),
        ] {
            assert_eq!(read(json), Ok(number), "{json}");
        }
    }

    #[test]
    fn non_integers_are_rejected_instead_of_truncated() {
        for json in ["0.5", "1e-1", "9223372036854775808", "9223372036854775808.0", "1e30", "-1e30", "\"1\"", "true"] {
            let error = read(json).expect_err(json);
            assert!(error.contains("expected a whole number"), "{json}: {error}");
        }
    }
}
