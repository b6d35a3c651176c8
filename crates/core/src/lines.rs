//! Many short texts in one piece of memory. A script has hundreds of commands,
//! and a piece for each would cost more than what is written into it.

/// Texts that are added once and looked up by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Lines {
    /// Room for about so many.
    pub(crate) fn with_room(lines: usize) -> Lines {
        Lines { text: String::with_capacity(lines * 32), ends: Vec::with_capacity(lines) }
    }

    /// Adds what `write` writes.
    pub(crate) fn add(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.text);
        self.ends.push(self.text.len());
    }

    /// The text with this number.
    pub(crate) fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.text.get(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn each_is_found_by_its_number() {
        let mut lines = Lines::with_room(2);
        for text in ["ls -l", "", "git …"] {
            lines.add(|line| line.push_str(text));
        }
        assert_eq!([0, 1, 2, 3].map(|at| lines.get(at)), [Some("ls -l"), Some(""), Some("git …"), None]);
    }
}
