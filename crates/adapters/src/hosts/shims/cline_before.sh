#!/bin/sh
# toolgate hook: COMMAND
# Written by `toolgate install`; change nothing here. Without an answer that makes sense, the call does not run.
answer=$(COMMAND) && case $answer in
'{'*'}')
  printf '%s\n' "$answer"
  exit 0
  ;;
esac
printf '%s\n' '{"cancel":true,"errorMessage":"Toolgate is broken, so nothing was run: its hook gave no answer. Fix: run `toolgate doctor` in a terminal, or install Toolgate again. This is a problem with the setup, not a decision about the call."}'
