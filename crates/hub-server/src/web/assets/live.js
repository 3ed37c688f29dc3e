// Looks for news while the page is seen, and never takes a form out of somebody's hands.
"use strict";
const EVERY_MS = 2000;

async function look() {
  const main = document.querySelector("main[data-version]");
  const typed = [...main?.querySelectorAll("input:not([type=hidden])") ?? []]
    .some((input) => input.checked || (input.type !== "checkbox" && input.value));
  const busy = typed || main?.querySelector("details[open]") ||
    document.activeElement?.closest("main form");
  if (!main || busy || document.hidden) return;
  const answer = await fetch(location.href, { credentials: "same-origin", redirect: "error" });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const news = page.querySelector("main[data-version]");
  if (news && news.dataset.version !== main.dataset.version) {
    main.replaceWith(document.adoptNode(news));
    document.title = page.title;
  }
}

setInterval(() => look().catch(() => {}), EVERY_MS);
