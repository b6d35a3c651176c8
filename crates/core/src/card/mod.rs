//! What a person is shown about a request besides the call itself, the same in the terminal and
//! in the browser.

mod details;
mod earlier;
mod reach;
mod why;

pub use details::Details;
pub use earlier::{Earlier, age, earlier};
pub use reach::reached;
pub use why::why_parts;
