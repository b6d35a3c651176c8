//! `toolgate escalation`: preferences go into the person's own policy, and nothing else of it changes (S1-44).

use crate::house::House;
use serde_json::Value;

const OWN: &str = "# mine
version: 1
packs: [] # none
rules:
  - { id: mild, kind: ask, severity: low, match: { regex: '^make.* mild' }, reason: mild }
";

fn own(house: &House) -> String {
    std::fs::read_to_string(house.home().join(".config/toolgate/policy.yaml")).unwrap()
}

#[test]
fn the_seeds_own_example_works() {
    let house = House::with_policy("version: 1\nreview: { delivery: ticket }\n");
    house.write_user(OWN);
    house.ask("make mild").request();
    let said = house.run(&["escalation", "--auto-approve-low", "--human-required-critical"]).ended(0);
    insta::assert_snapshot!(said.text());
    assert_eq!(
        own(&house),
        format!("{OWN}people:\n  auto_approve_low: true\n  human_required_critical: true\n")
    );
    assert!(!house.ask("make -j mild").is_no());
    house.run(&["escalation", "--auto-approve-low=false"]).ended(0);
    assert_eq!(own(&house), format!("{OWN}people:\n  human_required_critical: true\n"));
    house.ask("make -k mild").request();
    let said = house.run(&["escalation", "--json"]).ended(0).text();
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["auto_approve_low"], &said["human_required_critical"]), (&false.into(), &true.into()));
}

#[test]
fn what_stands_around_the_section_stays() {
    let house = House::new();
    for (before, after) in [
        (
            "version: 1\npeople: { needs: { critical: 2 } }\n# end\n",
            "version: 1\npeople:\n  needs: {\"critical\":2}\n  auto_approve_low: true\n# end\n",
        ),
        (
            "version: 1\npeople:\n  human_required_critical: true\nmode: enforce\n",
            "version: 1\npeople:\n  auto_approve_low: true\n  human_required_critical: true\nmode: enforce\n",
        ),
    ] {
        house.write_user(before);
        house.run(&["escalation", "--auto-approve-low"]).ended(0);
        assert_eq!(own(&house), after);
    }
    // Comments would be lost: the person is told what to write.
    let commented = "version: 1\npeople:\n  # two for the grave ones\n  needs: { critical: 2 }\n";
    house.write_user(commented);
    let said = house.run(&["escalation", "--auto-approve-low"]).ended(1);
    assert!(said.err.contains("auto_approve_low"), "{}", said.err);
    assert_eq!(own(&house), commented);
    house.write_user("version: 1\nrules: [\n");
    house.run(&["escalation", "--auto-approve-low"]).ended(1);
    assert_eq!(own(&house), "version: 1\nrules: [\n");
}

#[test]
fn an_agent_has_no_preferences() {
    let house = House::new();
    let mut command = house.toolgate(&["escalation", "--auto-approve-low"]);
    assert!(!command.env("CLAUDECODE", "1").output().unwrap().status.success());
    assert!(house.ask("toolgate escalation --auto-approve-low").is_no(), "the gate refuses it as well");
}
