//! An answer of a supervisor: any text goes in. Used by the fuzz target and by
//! the smoke test of `toolgate-core`.

use toolgate_core::{Judgement, Question, read_opinion};

/// Read or refused; and whatever is read is one whole answer to this question,
/// and none to another.
pub fn opinion(text: &str) {
    let question = |request: &str, nonce: &str, is_shell: bool| Question {
        request: request.to_owned(),
        nonce: nonce.to_owned(),
        rules: vec!["git-force-push".to_owned(), "sudo".to_owned()],
        is_shell,
    };
    let own = question("r-1", "n-1", true);
    let Ok(read) = read_opinion(&own, text) else { return };
    assert!(read.confidence_percent <= 100, "{text:?}");
    assert!(!read.reasons.is_empty(), "{text:?}");
    assert!(
        read.reasons.iter().all(|reason| own.rules.contains(&reason.rule) && !reason.text.is_empty()),
        "{text:?}"
    );
    assert_eq!(read.instead.is_some(), read.decision == Judgement::Modify, "{text:?}");
    let told =
        read.reasons.iter().map(|reason| &reason.text).chain(&read.alternatives).chain([&read.uncertainty]);
    assert!(told.into_iter().all(|text| !text.contains(|c: char| c.is_control())), "{text:?}");
    for other in [question("r-2", "n-1", true), question("r-1", "n-2", true)] {
        assert!(read_opinion(&other, text).is_err(), "{text:?} answers everything");
    }
    if read.decision == Judgement::Modify {
        assert!(read_opinion(&question("r-1", "n-1", false), text).is_err(), "{text:?}");
    }
    assert!(read_opinion(&own, &format!("{text} approve")).is_err(), "{text:?} and more");
}
