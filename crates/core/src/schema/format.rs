//! The values of `format` that are checked. Every other one is refused when the schema is read.

use std::net::{Ipv4Addr, Ipv6Addr};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Date,
    Time,
    DateTime,
    Ipv4,
    Ipv6,
    Uuid,
}

impl Format {
    pub(super) const ALL: [(&'static str, Format); 6] = [
        ("date", Format::Date),
        ("time", Format::Time),
        ("date-time", Format::DateTime),
        ("ipv4", Format::Ipv4),
        ("ipv6", Format::Ipv6),
        ("uuid", Format::Uuid),
    ];

    pub(super) fn name(self) -> &'static str {
        Format::ALL.iter().find(|(_, one)| *one == self).map_or("", |(name, _)| name)
    }

    pub(super) fn is(self, text: &str) -> bool {
        match self {
            Format::Date => is_date(text),
            Format::Time => is_time(text),
            Format::DateTime => {
                text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time))
            }
            Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Format::Uuid => is_uuid(text),
        }
    }
}

/// A number of exactly this many digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// `2026-11-19` (RFC 3339).
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let &[year, month, day] = parts.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=last).contains(&day)
}

/// `08:30:06.28Z` or `08:30:06+02:00` (RFC 3339).
fn is_time(text: &str) -> bool {
    read_time(text).is_some()
}

fn read_time(text: &str) -> Option<()> {
    let (clock, offset) = match text.strip_suffix(['Z', 'z']) {
        Some(clock) => (clock, 0),
        None => {
            let (clock, behind) = text.split_at_checked(text.rfind(['+', '-'])?)?;
            let (hours, minutes) = behind.get(1..)?.split_once(':')?;
            let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
            let offset = i64::from(hours * 60 + minutes);
            (hours < 24 && minutes < 60)
                .then_some((clock, if behind.starts_with('-') { -offset } else { offset }))?
        }
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let &[hours, minutes, seconds] = parts.as_slice() else { return None };
    let (hours, minutes, seconds) = (digits(hours, 2)?, digits(minutes, 2)?, digits(seconds, 2)?);
    let fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    // A leap second is the last one of a day in UTC.
    let minute_of_day = (i64::from(hours * 60 + minutes) - offset).rem_euclid(24 * 60);
    let second = seconds < 60 || (seconds == 60 && minute_of_day == 24 * 60 - 1);
    (hours < 24 && minutes < 60 && second && fraction).then_some(())
}

/// `2eb8aa08-aa98-11ea-b4aa-73b441d16380`.
fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}
