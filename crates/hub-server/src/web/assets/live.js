// Keeps a page true while it is looked at: fetches it again, and puts the new content in where
// something changed. Never takes a form out of somebody's hands.
"use strict";
const SEEN_MS = 2000;
const UNSEEN_MS = 10000;
// Ages are told anew after so many looks, also where nothing else changed.
const STALE_AFTER = 15;
let looks = 0;

function localTimes() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    time.title = time.textContent;
    time.textContent = at.toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
  }
}

function isBusy() {
  const main = document.querySelector("main");
  const fields = [...main.querySelectorAll("input:not([type=hidden]), textarea, select")];
  const held = fields.some((field) => {
    if (field.type === "checkbox") return field.checked !== field.defaultChecked;
    if (field.tagName === "SELECT") return field.selectedIndex > 0;
    return field.value !== field.defaultValue;
  });
  return held || main.querySelector("details[open]") !== null ||
    document.activeElement?.closest("main form, main table") != null ||
    String(document.getSelection()) !== "";
}

function say(text) {
  const news = document.getElementById("news");
  if (news.textContent !== text) news.textContent = text;
}

function takeOver(page) {
  const link = document.activeElement?.closest("a")?.getAttribute("href");
  document.title = page.title;
  document.body.dataset.version = page.body.dataset.version;
  for (const part of ["header", "main"]) {
    document.querySelector(part).replaceWith(document.adoptNode(page.querySelector(part)));
  }
  if (link) document.querySelector(`a[href="${CSS.escape(link)}"]`)?.focus();
  localTimes();
}

async function look() {
  const answer = await fetch(location.href, { credentials: "same-origin", redirect: "error" });
  if (answer.status === 404) {
    say("This way in has ended. Open the pages again: capabilities hub open");
    return;
  }
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const news = page.body.dataset.version !== document.body.dataset.version;
  looks = news ? 0 : looks + 1;
  if (!news && looks < STALE_AFTER) return;
  looks = 0;
  if (isBusy()) {
    if (news) say("Something changed meanwhile. Load the page again to see it.");
    return;
  }
  takeOver(page);
  if (news) say(page.title);
}

async function watch() {
  for (;;) {
    await new Promise((done) => setTimeout(done, document.hidden ? UNSEEN_MS : SEEN_MS));
    try {
      await look();
      document.body.classList.remove("away");
    } catch {
      document.body.classList.add("away");
      say("The hub does not answer. This page goes on when it does.");
    }
  }
}

localTimes();
watch();
