//! What people's answers come to: proposed, shown beside the next question, never applied (C-30).

use crate::house::{ASKED, House};
use crate::plain::plain;
use crate::review::{PASSPHRASE, answer, locked, state};

fn answered(house: &House, word: &str, branch: &str) {
    let command = format!("git push --force origin {branch}");
    let id = house.ask(&command).request();
    answer(house, word, &id, PASSPHRASE).ended(0);
    house.ask(&command);
}

#[test]
fn answers_alike_are_proposed_and_not_applied() {
    let house = locked();
    assert!(house.run(&["learn", "propose"]).ended(0).err.contains("no repeated answers yet"));
    for branch in ["a", "b", "c"] {
        answered(&house, "approve", branch);
    }
    let said = house.run(&["learn", "propose"]).ended(0).text();
    insta::assert_snapshot!(plain(&house, &said));
    let id = house.ask(ASKED).request();
    assert_eq!(state(&house, &id), "pending", "a proposal is no answer");
    let shown = house.run(&["inbox", "show", &id]).ended(0).text();
    assert!(shown.contains("before   calls like this were approved 3 times and denied 0 times"), "{shown}");
    answer(&house, "deny", &id, PASSPHRASE).ended(0);
    assert!(house.run(&["learn", "propose"]).ended(0).text().is_empty(), "one no ends it");
}
