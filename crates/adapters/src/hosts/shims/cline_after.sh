#!/bin/sh
# toolgate result hook: COMMAND
# Written by `toolgate install`; change nothing here. The call has run, so a broken hook is only said.
answer=$(COMMAND) && case $answer in
'{"cancel":true'*) ;; # a denial has nothing to stop any more, and would end the run
'{'*'}')
  printf '%s\n' "$answer"
  exit 0
  ;;
esac
printf '%s\n' '{"context":"Toolgate is broken: its hook gave no answer about this result. Fix: run `toolgate doctor` in a terminal, or install Toolgate again."}'
