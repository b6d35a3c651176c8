//! The terminal while the inbox is open: raw keys and a screen of its own, given back as it was
//! when this value goes – at the end, on an error, and when something panics.

use super::keys::{Key, keys};
use anstream::{AutoStream, ColorChoice};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcgetwinsize, tcsetattr};
use std::io::{Write, stdout};
use std::time::Duration;

/// A screen of its own, no cursor; and the way back.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

/// Where the system does not say how large it is.
const SIZE: Size = Size { rows: 24, columns: 80 };

/// Rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Lines.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

/// The open terminal.
pub struct Terminal {
    before: Termios,
    has_colour: bool,
    shown: String,
}

impl Terminal {
    /// Takes it over. What was typed before is thrown away: it was meant for something else.
    pub fn open() -> std::io::Result<Terminal> {
        let stdin = rustix::stdio::stdin();
        let before = tcgetattr(stdin)?;
        let mut raw = before.clone();
        raw.make_raw();
        let has_colour = AutoStream::choice(&stdout()) != ColorChoice::Never;
        give_back_on_panic(before.clone());
        let terminal = Terminal { before, has_colour, shown: String::new() };
        tcsetattr(stdin, OptionalActions::Flush, &raw)?;
        tcflush(stdin, QueueSelector::IFlush)?;
        write(ENTER)?;
        Ok(terminal)
    }

    /// How large it is now.
    pub fn size(&self) -> Size {
        let size = tcgetwinsize(rustix::stdio::stdout()).ok();
        let size = size.map(|size| Size { rows: size.ws_row.into(), columns: size.ws_col.into() });
        size.filter(|size| size.rows > 0 && size.columns > 0).unwrap_or(SIZE)
    }

    /// Shows these lines, each no wider than the screen; what is on it already is not drawn again.
    pub fn show(&mut self, lines: &[String]) -> std::io::Result<()> {
        let mut frame = String::from("\x1b[H");
        for (at, line) in lines.iter().enumerate() {
            frame.push_str(if at == 0 { "" } else { "\r\n" });
            if self.has_colour {
                frame.push_str(line);
            } else {
                frame.push_str(&anstream::adapter::strip_str(line).to_string());
            }
            frame.push_str("\x1b[0m\x1b[K");
        }
        frame.push_str("\x1b[J");
        if frame != self.shown {
            write(&frame)?;
            self.shown = frame;
        }
        Ok(())
    }

    /// The keys that come within this time; none is fine, `None` is the end of the terminal.
    pub fn keys(&self, within: Duration) -> std::io::Result<Option<Vec<Key>>> {
        let stdin = rustix::stdio::stdin();
        let within = Timespec { tv_sec: 0, tv_nsec: within.subsec_nanos().into() };
        let mut asked = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut asked, Some(&within)) {
            Ok(0) | Err(Errno::INTR) => return Ok(Some(Vec::new())),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; 256];
        match rustix::io::read(stdin, &mut bytes) {
            Ok(0) => Ok(None),
            Ok(length) => Ok(Some(keys(bytes.get(..length).unwrap_or_default()))),
            Err(Errno::INTR) => Ok(Some(Vec::new())),
            Err(error) => Err(error.into()),
        }
    }
}

/// What a panic says must not go down with the screen it is said on.
fn give_back_on_panic(before: Termios) {
    let say = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back(&before);
        say(panic);
    }));
}

fn give_back(before: &Termios) {
    let _ = write(LEAVE);
    let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Flush, before);
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back(&self.before);
    }
}

fn write(text: &str) -> std::io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
