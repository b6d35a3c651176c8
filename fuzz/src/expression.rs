//! An expression of a guardrail: any text goes in. Used by the fuzz target and
//! by the smoke test of `toolgate-core`.

use toolgate_core::{ActionSort, Expression, Places, Target, Truth, View};

/// Read and asked, or a fault with a place in the text.
pub fn expression(text: &str) {
    match Expression::new(text, Some(0.5)) {
        Err(fault) => {
            assert!(!fault.message.is_empty() && !fault.cure.is_empty(), "{fault:?}");
            assert!(
                fault.start <= fault.end && text.get(fault.start..fault.end).is_some(),
                "{text:?} {fault:?}"
            );
        }
        Ok(expression) => {
            let places = Places { workspace: vec!["/w".to_owned()], ..Places::default() };
            for (at, sort) in ActionSort::ALL.into_iter().enumerate() {
                let target =
                    Target { path: "/w/src/te*t_a.rs", exact: at % 2 == 0, glob: at % 3 == 0, within: None };
                let view = View {
                    role: "implementer",
                    agent: "a-1",
                    task: "",
                    tool: "Write",
                    sort,
                    command: "git push",
                    program: "git",
                    target: Some(target).filter(|_| at != 7),
                    calls: 12,
                    tokens: Some(900),
                    answers: Some(3),
                    lines: 0,
                    minutes: 5,
                    places: &places,
                };
                let sure = View { target: None, ..view };
                assert_ne!(expression.holds(&sure), Truth::Unclear, "{text:?}");
                let turned = Expression::new(&format!("NOT ({text})"), Some(0.5));
                let turned = turned.map_or(expression.holds(&sure), |turned| match turned.holds(&sure) {
                    Truth::Yes => Truth::No,
                    Truth::No => Truth::Yes,
                    Truth::Unclear => Truth::Unclear,
                });
                assert_eq!(turned, expression.holds(&sure), "{text:?}");
                let _ = expression.holds(&view);
            }
        }
    }
}
