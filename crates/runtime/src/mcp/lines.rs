//! A stream of bytes cut into lines, none longer than a limit.

/// Lines of a stream.
#[derive(Debug)]
pub struct Lines {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to here no line ends.
    looked: usize,
    max: usize,
    /// Whether the rest of a line that is too long is being dropped.
    drops: bool,
}

/// What a stream holds next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A line without its end.
    Line(Vec<u8>),
    /// A line that was too long and is gone.
    TooLong,
}

impl Lines {
    /// No line yet; none longer than `max` bytes.
    #[must_use]
    pub fn new(max: usize) -> Lines {
        Lines { bytes: Vec::new(), start: 0, looked: 0, max, drops: false }
    }

    /// More of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.looked = self.looked.saturating_sub(self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next line, if it has ended.
    pub fn next_piece(&mut self) -> Option<Piece> {
        let rest = self.bytes.get(self.looked..)?;
        let Some(end) = rest.iter().position(|byte| *byte == b'\n').map(|at| self.looked + at) else {
            self.looked = self.bytes.len();
            if self.drops || self.bytes.len().saturating_sub(self.start) > self.max {
                let first = !std::mem::replace(&mut self.drops, true);
                self.bytes = Vec::new();
                (self.start, self.looked) = (0, 0);
                return first.then_some(Piece::TooLong);
            }
            return None;
        };
        let line = self.bytes.get(self.start..end).unwrap_or_default().to_vec();
        (self.start, self.looked) = (end + 1, end + 1);
        if std::mem::take(&mut self.drops) {
            // The end of one that was told already.
            return self.next_piece();
        }
        Some(if line.len() > self.max { Piece::TooLong } else { Piece::Line(line) })
    }

    /// What is left when the stream has ended without an end of line.
    pub fn last(&mut self) -> Option<Vec<u8>> {
        let rest = self.bytes.get(self.start..).unwrap_or_default().to_vec();
        *self = Lines::new(self.max);
        (!rest.is_empty()).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_the_stream_is_cut() {
        let text = b"one\n\ntwo\r\nlast";
        for size in 1..text.len() {
            let mut lines = Lines::new(100);
            let mut found = Vec::new();
            for part in text.chunks(size) {
                lines.push(part);
                while let Some(piece) = lines.next_piece() {
                    found.push(piece);
                }
            }
            let line = |text: &str| Piece::Line(text.as_bytes().to_vec());
            assert_eq!(found, [line("one"), line(""), line("two\r")], "{size}");
            assert_eq!(lines.last(), Some(b"last".to_vec()));
        }
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut lines = Lines::new(10);
        let mut told = 0;
        for _ in 0..1000 {
            lines.push(b"xxxxxxxx");
            while let Some(piece) = lines.next_piece() {
                assert_eq!(piece, Piece::TooLong);
                told += 1;
            }
            assert!(lines.bytes.len() < 20);
        }
        lines.push(b"end\nnext\n");
        assert_eq!((told, lines.next_piece()), (1, Some(Piece::Line(b"next".to_vec()))));
    }
}
