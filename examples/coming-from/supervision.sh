#!/bin/sh
# The commands of supervision rules, as they are. See docs/coming-from/supervision-rules.md.
toolgate supervision rules add --name "ban-no-verify" --pattern "git commit.*--no-verify" --action REJECT
toolgate supervision rules list --enabled
toolgate supervision test "git commit --no-verify -m 'fix'"
toolgate supervision logs --last 24h --decisions REJECT,ESCALATE
toolgate supervision escalation --auto-approve-low --human-required-critical
