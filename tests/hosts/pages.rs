//! The pages in `docs/hosts/` that are written from data.
