//! First letters and lengths of the names in a table, taken when compiling.
//! Every command is looked for in many tables and is in nearly none.

/// For each first letter the lengths that occur, as bits.
pub(crate) struct NameFilter([u32; 32]);

impl NameFilter {
    /// Of no name.
    pub(crate) const NONE: NameFilter = NameFilter([0; 32]);

    /// Of these names.
    pub(crate) const fn of(mut names: &[&str]) -> NameFilter {
        let mut all = NameFilter::NONE;
        while let [name, others @ ..] = names {
            all = all.with(name);
            names = others;
        }
        all
    }

    /// Of one name more.
    #[allow(clippy::indexing_slicing)] // evaluated by the compiler, which refuses a wrong index
    pub(crate) const fn with(mut self, name: &str) -> NameFilter {
        self.0[(name.as_bytes()[0] & 31) as usize] |= 1 << (name.len() & 31);
        self
    }

    /// False when `name` is none of the names.
    #[inline]
    pub(crate) fn may_hold(&self, name: &str) -> bool {
        let lengths = name.bytes().next().and_then(|first| self.0.get(usize::from(first & 31)));
        lengths.is_some_and(|lengths| lengths >> (name.len() & 31) & 1 == 1)
    }
}
