//! How often a wrong passphrase may be tried: a few times, then not for a while.
//!
//! One count for everybody who tries, because anyone who tries picks the connection
//! they come by. A right one in between forgives nothing: else someone could
//! guess next to a person who answers.

/// So many wrong ones, and a pause begins.
pub const WRONG_MAX: usize = 5;

/// How long it is.
pub const PAUSE_MS: i64 = 60_000;

/// A wrong one counts for so long, so that someone slow is noticed too.
const REMEMBERED_MS: i64 = 15 * 60_000;

/// While others are looked at, come back after this.
const UNDER_WAY_MS: i64 = 1_000;

/// What was tried so far.
#[derive(Debug, Default)]
pub struct Tries {
    /// When each wrong one was seen.
    wrong_ms: Vec<i64>,
    /// Begun, and no one knows yet how they end.
    under_way: usize,
    /// Until when none is looked at.
    paused_ms: Option<i64>,
}

impl Tries {
    /// Begins a try at `now_ms`. Until it is known how it ends it counts as a
    /// wrong one: many at once are no more than one behind the other.
    ///
    /// # Errors
    /// If it may not be looked at: how many milliseconds are to be waited.
    pub fn begin(&mut self, now_ms: i64) -> Result<(), i64> {
        if let Some(left_ms) = self.paused_ms.map(|until| until.saturating_sub(now_ms)) {
            if left_ms > 0 {
                return Err(left_ms);
            }
            self.paused_ms = None;
        }
        self.wrong_ms.retain(|at_ms| now_ms < at_ms.saturating_add(REMEMBERED_MS));
        if self.wrong_ms.len().saturating_add(self.under_way) >= WRONG_MAX {
            return Err(UNDER_WAY_MS);
        }
        self.under_way = self.under_way.saturating_add(1);
        Ok(())
    }

    /// It was right, or none at all.
    pub fn was_right(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// It was wrong. Whether a pause begins with it.
    pub fn was_wrong(&mut self, now_ms: i64) -> bool {
        self.under_way = self.under_way.saturating_sub(1);
        self.wrong_ms.push(now_ms);
        let pauses = self.wrong_ms.len() >= WRONG_MAX;
        if pauses {
            self.wrong_ms.clear();
            self.paused_ms = Some(now_ms.saturating_add(PAUSE_MS));
        }
        pauses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries a wrong one; what came of it.
    fn wrong(tries: &mut Tries, now_ms: i64) -> Result<bool, i64> {
        tries.begin(now_ms).map(|()| tries.was_wrong(now_ms))
    }

    #[test]
    fn after_a_few_wrong_ones_there_is_a_pause_for_everybody() {
        let mut tries = Tries::default();
        for at_ms in [0, 10, 20, 30] {
            assert_eq!(wrong(&mut tries, at_ms), Ok(false));
        }
        assert_eq!(wrong(&mut tries, 40), Ok(true), "it begins once");
        assert_eq!(tries.begin(41), Err(PAUSE_MS - 1));
        assert_eq!(tries.begin(40 + PAUSE_MS - 1), Err(1));
        assert_eq!(tries.begin(40 + PAUSE_MS), Ok(()), "a right one after the pause");
        tries.was_right();
        for _ in 1..WRONG_MAX {
            assert_eq!(wrong(&mut tries, 40 + PAUSE_MS), Ok(false), "and as many wrong ones as before");
        }
        assert_eq!(wrong(&mut tries, 40 + PAUSE_MS), Ok(true));
    }

    #[test]
    fn many_at_once_are_no_more_than_one_behind_the_other() {
        let mut tries = Tries::default();
        let begun = (0..100).filter(|_| tries.begin(0).is_ok()).count();
        assert_eq!(begun, WRONG_MAX);
        let pauses = (0..begun).filter(|_| tries.was_wrong(1)).count();
        assert_eq!((pauses, tries.begin(2)), (1, Err(PAUSE_MS - 1)));
    }

    #[test]
    fn right_ones_forgive_nothing_and_time_does() {
        let mut tries = Tries::default();
        for at_ms in [0, 1, 2, 3] {
            assert_eq!(wrong(&mut tries, at_ms), Ok(false));
            assert_eq!(tries.begin(at_ms), Ok(()));
            tries.was_right();
        }
        assert_eq!(wrong(&mut tries, REMEMBERED_MS), Ok(false), "the first is forgotten");
        assert_eq!(wrong(&mut tries, REMEMBERED_MS), Ok(true), "the others are not");
    }
}
