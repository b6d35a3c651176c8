// Keys, and what changes while a page is open; every page works without this file.
"use strict";
const byId = (id) => document.getElementById(id);
const cards = () => [...document.querySelectorAll("#live .card")];
let here = null;

function select(card) {
  cards().forEach((one) => one.classList.toggle("here", one === card));
  here = card?.id ?? null;
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: "nearest" });
}
function move(step) {
  const all = cards();
  const at = all.findIndex((one) => one.id === here);
  select(all[Math.min(Math.max(at + step, 0), all.length - 1)]);
}
function open(answer) {
  if (here) location.href = `/requests/${here}${answer}`;
}

// Approve becomes available when the whole text has been on the screen. `seen` is how far that goes
// from the top without a gap: text that was jumped over has not been seen.
const yes = byId("yes");
const bar = byId("bar");
const what = byId("what");
let seen = 0;
let shape = "";
// The bar stays on the screen only where a script keeps yes until all was shown.
if (bar) document.documentElement.classList.add("scripted");
const covers = () => (bar && getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0);
// What lies behind the bar is not shown.
const room = () => window.innerHeight - covers();
const above = () => -what.getBoundingClientRect().top;
function enable() {
  yes.disabled = false;
  byId("hint").hidden = true;
  if (location.hash === "#to-yes") yes.focus();
}
function look() {
  if (!yes.disabled) return;
  const now = `${what.offsetWidth} ${what.offsetHeight}`;
  // On a screen of another width every line lies elsewhere.
  if (now !== shape) [shape, seen] = [now, 0];
  if (above() <= seen + 1) seen = Math.max(seen, above() + room());
  if (byId("end").getBoundingClientRect().bottom + above() <= seen + 1) enable();
}
// On from where it stopped, a screen at a time.
function readOn() {
  window.scrollBy({ top: Math.max(seen - room() * 0.15, 0) - above(), behavior: "instant" });
}
if (yes) {
  yes.disabled = true;
  byId("hint").hidden = false;
  document.addEventListener("scroll", look, { passive: true });
  window.addEventListener("resize", look);
  // Only what has been painted: an address may lead past the text at once.
  requestAnimationFrame(() => requestAnimationFrame(look));
  byId("on").addEventListener("click", (event) => {
    event.preventDefault();
    readOn();
  });
}
// What is gone to must not lie behind the bar.
function pad() {
  document.documentElement.style.scrollPaddingBottom = `${covers() + 8}px`;
}
if (bar) new ResizeObserver(pad).observe(bar);
function answer(id) {
  const field = byId(id);
  // Not the id of the button: the browser would leap to it, past the text.
  if (!field) return open(id === "yes" ? "#to-yes" : `#${id}`);
  if (field.disabled) readOn();
  else field.focus();
}
if (["#no", "#words", "#scope"].includes(location.hash)) byId(location.hash.slice(1))?.focus();

// Only the fields a reach needs, and what yes means then; what a pattern covers is asked as it is written.
const scope = byId("scope");
const once = byId("means")?.textContent;
function near(id) {
  // The observer speaks with the next frame; this may come before it.
  pad();
  byId(id)?.scrollIntoView({ block: "nearest", behavior: "instant" });
}
function fit() {
  byId("for-time").hidden = scope.value !== "for";
  if (byId("for-pattern")) byId("for-pattern").hidden = scope.value !== "pattern";
  if (!byId("means")) return;
  const minutes = byId("minutes").value;
  const long = minutes === "1" ? "1 minute" : `${minutes || "some"} minutes`;
  byId("means").textContent = scope.value === "once" ? once : scope.selectedOptions[0].text.replace("some minutes", long);
}
if (scope) {
  scope.addEventListener("change", () => {
    fit();
    near(scope.value === "pattern" ? "covered" : scope.value === "for" ? "for-time" : "scope");
  });
  byId("minutes").addEventListener("input", fit);
  fit();
}
// A call with what is spelled out in it marked, as the server marks it.
function called(pieces) {
  const code = document.createElement("code");
  for (const { text, spelled } of pieces) {
    const mark = spelled ? document.createElement("mark") : null;
    if (mark) mark.textContent = text;
    code.append(mark ?? text);
  }
  return code;
}
byId("pattern")?.addEventListener("input", async (event) => {
  const asked = event.target.value;
  const answer = await fetch(`/api/covered?pattern=${encodeURIComponent(asked)}`);
  if (!answer.ok || asked !== byId("pattern").value) return;
  const found = await answer.json();
  const some = found.pieces.length ? ": " : "";
  const said = found.fault ?? `Would have matched ${found.count} recent ${found.count === 1 ? "call" : "calls"}${some}`;
  const calls = found.pieces.flatMap((pieces, at) => [at ? " · " : "", called(pieces)]);
  byId("covered").replaceChildren(said, ...calls);
  near("covered");
});

const keys = {
  j: () => move(1),
  k: () => move(-1),
  Enter: () => open(""),
  o: () => open(""),
  y: () => answer("yes"),
  n: () => answer("no"),
  r: () => answer("words"),
  a: () => answer(byId("yes") && !scope ? "yes" : "scope"),
  i: () => { location.href = "/"; },
  "?": () => { byId("keys").open = !byId("keys").open; byId("keys").scrollIntoView({ block: "nearest" }); },
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "Escape" && typing) return event.target.blur();
  // Enter and the space bar on a button or a link are theirs.
  const theirs = /^(BUTTON|A|SUMMARY)$/.test(event.target.tagName);
  if (typing || ((event.key === "Enter" || event.key === " ") && theirs)) return;
  // A page of the browser's own is as high as the window, with what lies behind the bar.
  const down = event.key === "PageDown" || (event.key === " " && !event.shiftKey);
  if (down && yes?.disabled && above() <= seen + 1 && above() + room() >= seen - 1) {
    event.preventDefault();
    return readOn();
  }
  const action = Object.hasOwn(keys, event.key) && keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// Ages and what is left, in the words of the server and by its clock.
const ahead = Number(document.body.dataset.now || Date.now()) - Date.now();
function aged(minutes) {
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ago`;
  return minutes < 2880 ? "1 day ago" : `${Math.floor(minutes / 1440)} days ago`;
}
function span(seconds) {
  const pair = (large, unit, small, rest) => `${large} ${unit}${small ? ` ${small} ${rest}` : ""}`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return pair(Math.floor(seconds / 3600), "h", Math.floor((seconds % 3600) / 60), "min");
  return pair(Math.floor(seconds / 86400), "d", Math.floor((seconds % 86400) / 3600), "h");
}
function over(place) {
  place.querySelectorAll(".still").forEach((one) => one.remove());
  const state = place.querySelector(".state") ?? byId("state");
  state.textContent = "expired";
  state.className = state.className.replace("pending", "expired");
}
function tick() {
  const now = Date.now() + ahead;
  for (const one of document.querySelectorAll("[data-made]"))
    one.textContent = aged(Math.floor((now - one.dataset.made) / 60000));
  for (const one of document.querySelectorAll("[data-ends]")) {
    const seconds = Math.floor((one.dataset.ends - now) / 1000);
    one.classList.toggle("soon", seconds < 60);
    if (seconds >= 0) {
      one.textContent = `denied automatically in ${span(seconds)}`;
      continue;
    }
    one.textContent = "expired; counts as denied";
    delete one.dataset.ends;
    over(one.closest(".card") ?? document);
  }
}
setInterval(tick, 1000);

// What changed in the meantime; a page with unsent text is not replaced.
async function fresh() {
  const answer = await fetch(location.pathname + location.search);
  return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
}
const changed = {
  async list() {
    const page = await fresh();
    if (!page) return;
    byId("live").replaceWith(page.getElementById("live"));
    document.title = page.title;
    tick();
    const card = cards().find((one) => one.id === here);
    if (card) card.classList.add("here");
  },
  async request() {
    const page = await fresh();
    const state = page?.getElementById("state")?.textContent;
    if (!state || state === byId("state").textContent) return;
    if (!byId("words")?.value) return location.reload();
    const notice = document.createElement("p");
    notice.className = "notice";
    notice.textContent = `Already answered: this request is ${state} now.`;
    byId("what").before(notice);
    byId("state").textContent = state;
  },
};
const live = changed[document.body.dataset.live];
if (live) new EventSource(`/live?since=${document.body.dataset.head}`).addEventListener("changed", live);
