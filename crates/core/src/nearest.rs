//! Which known name a mistyped one is nearest to.

/// The known name that is nearest to a given one, if it is near enough to have been meant.
#[must_use]
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = given.to_lowercase();
    let known: Vec<&str> = known.into_iter().collect();
    let (edits, name) = known.iter().map(|name| (distance(&lower, &name.to_lowercase()), *name)).min()?;
    let most = match name.chars().count().min(given.chars().count()) {
        0..=2 => 0,
        3..=4 => 1,
        5..=9 => 2,
        _ => 3,
    };
    if edits <= most { Some(name) } else { begun(&lower, &known).or_else(|| with_all_words(&lower, &known)) }
}

/// The name that goes on as a given one begins, or the other way round: `pre_exec`, `monday`.
fn begun<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let longer = known.iter().filter(|name| given.len() > 3 && name.starts_with(given));
    let shorter = known.iter().filter(|name| name.len() > 2 && given.starts_with(**name));
    longer.min_by_key(|name| name.len()).or_else(|| shorter.max_by_key(|name| name.len())).copied()
}

/// The shortest name that has all words of a given one: `skips-hooks` is in `skips-commit-hooks`.
fn with_all_words<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let words: Vec<&str> = given.split(['-', '_', '.']).filter(|word| !word.is_empty()).collect();
    let has_all = |name: &&&str| {
        let own: Vec<&str> = name.split(['-', '_', '.']).collect();
        words.iter().all(|word| own.contains(word))
    };
    let found = known.iter().filter(|_| words.len() > 1).filter(has_all);
    found.min_by_key(|name| name.len()).copied()
}

/// How many letters must be added, taken out, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // Names are short; what is long was not meant to be one.
    if a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut next = vec![i.saturating_add(1)];
        for (j, to) in b.iter().enumerate() {
            let at = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX);
            let changed = at(&row, j).saturating_add(usize::from(from != to));
            let added = at(&next, j).min(at(&row, j.saturating_add(1))).saturating_add(1);
            let mut least = changed.min(added);
            let swapped = i.checked_sub(1).and_then(|i| a.get(i)) == Some(to)
                && j.checked_sub(1).and_then(|j| b.get(j)) == Some(from);
            if let (true, Some(j)) = (swapped, j.checked_sub(1)) {
                least = least.min(at(&before, j).saturating_add(1));
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        for (given, known, expected) in [
            ("ruels", &["rules", "review"][..], Some("rules")),
            ("reson", &["reason", "remediation"], Some("reason")),
            ("nistall", &["install", "uninstall"], Some("install")),
            ("sudoo", &["sudo"], Some("sudo")),
            ("frobnicate", &["rules", "version"], None),
            ("deny", &["delay", "label"], None),
            ("id", &["if", "in"], None),
            ("pre_exec", &["pre_execution", "post_execution"], Some("pre_execution")),
            ("monday", &["mon", "tue"], Some("mon")),
            ("skips-hooks", &["skips-commit-hooks", "hides-traces"], Some("skips-commit-hooks")),
            ("", &["a"], None),
        ] {
            assert_eq!(nearest(given, known.iter().copied()), expected, "{given}");
        }
    }
}
