//! The room for the HTTP API, the web inbox and the metrics.
//!
//! It is empty on purpose: the gate works without anything else running, and
//! the review issue furnishes this room. It will sit between `toolgate-cli`
//! and `toolgate-runtime`, offer what the `inbox` verbs do to a browser, and
//! answer hosts that call over HTTP with the same decisions as the hook.
//!
//! Deliberately absent, also later: judging, SQL, host formats.
