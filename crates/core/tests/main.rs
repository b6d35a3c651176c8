//! Tests of single parts of this crate as one program, because each program is linked on its own; `judging`, `schema`
//! and `supervising` are programs of their own.

mod alerts;
mod asking;
mod extent;
mod fuzz_smoke;
mod inbox;
mod leaks;
mod learning;
mod races;
