// Keys for those who want them; every page works without this file.
"use strict";
const cards = [...document.querySelectorAll(".card")];
let at = -1;
function go(step) {
  if (!cards.length) return;
  at = Math.min(Math.max(at + step, 0), cards.length - 1);
  cards.forEach((card, n) => card.classList.toggle("here", n === at));
  cards[at].focus();
}
document.addEventListener("keydown", (event) => {
  if (/^(INPUT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const focus = (id) => document.getElementById(id)?.focus();
  if (event.key === "j") go(1);
  else if (event.key === "k") go(-1);
  else if (event.key === "y") focus("yes");
  else if (event.key === "n") focus("no");
  else if (event.key === "r") { focus("words"); event.preventDefault(); }
  else if (event.key === "i") location.href = "/";
});
// A page somebody is writing on is left alone.
if (document.body.dataset.live) {
  new EventSource("/live").addEventListener("changed", () => location.reload());
}
