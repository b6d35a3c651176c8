//! Numbers and equality as JSON Schema means them: `1` and `1.0` are the same, and nothing is rounded on the way.

use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

/// Beyond this a float has no digits left for a fraction, and `i128` still holds it.
const WHOLE_MAX: f64 = 1e36;

/// Whether it has no fraction.
pub(super) fn is_whole(number: &Number) -> bool {
    whole(number).is_some() || float(number).fract() == 0.0
}

/// The number as an integer, where it is one and not too large.
pub(super) fn whole(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    let value = number.as_f64()?;
    // The range is checked, so that the cast is exact.
    #[allow(clippy::cast_possible_truncation)]
    (value.fract() == 0.0 && value.abs() < WHOLE_MAX).then_some(value as i128)
}

/// How two numbers compare.
pub(super) fn compare(left: &Number, right: &Number) -> Ordering {
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        // A number with a fraction is below 2^53, where floats tell integers apart.
        _ => float(left).total_cmp(&float(right)),
    }
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

/// Whether `value` is `step` times an integer, in decimal: 19.99 is a multiple of 0.01.
pub(super) fn is_multiple(value: &Number, step: &Number) -> bool {
    let exact = || {
        let (value, step) = (decimal(value)?, decimal(step)?);
        let places = value.1.max(step.1);
        let scaled = |(digits, own): (i128, u32)| digits.checked_mul(10_i128.checked_pow(places - own)?);
        scaled(value)?.checked_rem(scaled(step)?).map(|rest| rest == 0)
    };
    exact().unwrap_or_else(|| float(value) % float(step) == 0.0)
}

/// Its digits, and how many of them are behind the point.
fn decimal(number: &Number) -> Option<(i128, u32)> {
    if let Some(value) = whole(number) {
        return Some((value, 0));
    }
    // Rust prints the shortest decimal that reads back as the same float, without an exponent.
    let text = number.as_f64()?.to_string();
    let (before, behind) = text.split_once('.')?;
    Some((format!("{before}{behind}").parse().ok()?, u32::try_from(behind.len()).ok()?))
}

/// An order over all values, in which equal ones are equal as JSON Schema means it.
pub(super) fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => compare(left, right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => {
            let unequal = left.iter().zip(right).map(|(left, right)| order(left, right));
            unequal.into_iter().find(|one| one.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => {
            let (left, right) = (sorted(left), sorted(right));
            let pairs = left.iter().zip(&right);
            let unequal = pairs.map(|(left, right)| left.0.cmp(right.0).then_with(|| order(left.1, right.1)));
            unequal.into_iter().find(|one| one.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn sorted(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(name, _)| name.as_str());
    fields
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}
