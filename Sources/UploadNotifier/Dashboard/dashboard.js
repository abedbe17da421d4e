// Keeps the page up to date. The notifier makes all HTML, escaped; this script replaces old parts of the page with new ones.
"use strict";

(() => {
  const silentMaximum = 30_000; // Milliseconds without an event after which a connection counts as lost.
  const hiddenMaximum = 20_000; // After so many milliseconds a hidden page closes its stream, and frees its place.
  const pollPause = 3_000; // Milliseconds between two looks at a page that has no stream.
  const version = document.documentElement.dataset.version;
  const followed = document.getElementById("main").dataset.follow; // The path of such a page.
  const isStill = "still" in document.getElementById("main").dataset; // A page that stays as it is.
  const connection = document.getElementById("connection");
  let source = null;
  let lastHeard = 0;
  let retry = 0;
  let leave = 0;

  // Unchanged elements stay the same elements, so that focus and selection stay and bars move instead of jumping.
  function morph(old, fresh) {
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
      old.replaceWith(fresh);
      return;
    }
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
      return;
    }
    const isTyped = old.nodeName === "INPUT" && old.value !== old.defaultValue;
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && name !== "aria-busy") old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    if (old.nodeName === "INPUT" && !isTyped) old.value = fresh.value;
    morphChildren(old, fresh);
  }

  function morphChildren(old, fresh) {
    const named = new Map();
    for (const child of old.children) if (child.id) named.set(child.id, child);
    let place = old.firstChild;
    for (const next of [...fresh.childNodes]) {
      const known = next.id ? named.get(next.id) : null;
      if (known) {
        if (known === place) place = place.nextSibling;
        else old.insertBefore(known, place);
        morph(known, next);
      } else if (!next.id && place && !place.id && place.nodeName === next.nodeName) {
        const after = place.nextSibling;
        morph(place, next);
        place = after;
      } else {
        old.insertBefore(next, place);
      }
    }
    while (place) {
      const after = place.nextSibling;
      place.remove();
      place = after;
    }
  }

  function show(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
    const old = fresh && document.getElementById(fresh.id);
    if (!old) return;
    morph(old, document.importNode(fresh, true));
    decorate(document.getElementById(fresh.id));
  }

  function decorate(root) {
    for (const time of root.querySelectorAll("time")) {
      const exact = new Date(time.dateTime).toLocaleString();
      if (time.title !== exact) time.title = exact;
    }
    const summary = document.getElementById("part-summary");
    if (summary) document.title = `${summary.dataset.title} · Longshore`;
  }

  function tell(text, isLost) {
    document.body.classList.toggle("is-lost", isLost);
    connection.classList.toggle("lost", isLost);
    if (connection.textContent !== text) connection.textContent = text;
  }

  function heard() {
    lastHeard = Date.now();
    tell("Live", false);
  }

  // A page of one thing has no stream: it is fetched again.
  async function poll() {
    clearTimeout(retry);
    if (document.hidden) return;
    try {
      const answer = await fetch(followed, { redirect: "manual", cache: "no-store" });
      if (answer.type === "opaqueredirect") return location.assign("/dashboard/sign-in");
      if (!answer.ok) throw new Error(answer.statusText);
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (fresh.documentElement.dataset.version !== version) return location.reload();
      morphChildren(document.getElementById("main"), document.importNode(fresh.getElementById("main"), true));
      decorate(document);
      tell("Live", false);
    } catch {
      tell("Connection lost, trying again …", true);
    }
    retry = setTimeout(poll, pollPause);
  }

  function follow() {
    if (isStill) return;
    if (followed) return poll();
    clearTimeout(retry);
    source?.close();
    lastHeard = Date.now();
    source = new EventSource("/dashboard/stream");
    source.addEventListener("part", (event) => { heard(); show(event.data); });
    source.addEventListener("beat", heard);
    source.addEventListener("problem", (event) => { lastHeard = Date.now(); tell(event.data, true); });
    source.addEventListener("version", (event) => {
      heard();
      if (event.data !== version) location.reload();
    });
    source.addEventListener("error", () => {
      tell("Connection lost, trying again …", true);
      // A browser reconnects by itself, unless the server refused the stream.
      if (source?.readyState === EventSource.CLOSED) {
        source = null;
        retry = setTimeout(again, 3000);
      }
    });
  }

  async function again() {
    try {
      const answer = await fetch("/", { redirect: "manual", cache: "no-store" });
      if (answer.type === "opaqueredirect") return location.assign("/dashboard/sign-in");
    } catch {
      // The notifier is not there yet: the stream's next error shows it.
    }
    follow();
  }

  function rest() {
    clearTimeout(retry);
    source?.close();
    source = null;
  }

  setInterval(() => {
    if (!source || Date.now() - lastHeard < silentMaximum) return;
    tell("Connection lost, trying again …", true);
    follow();
  }, 5000);

  document.addEventListener("visibilitychange", () => {
    clearTimeout(leave);
    if (document.hidden) leave = setTimeout(rest, hiddenMaximum);
    else if (!source) follow();
  });
  addEventListener("pagehide", rest);
  addEventListener("pageshow", (event) => { if (event.persisted) follow(); });

  function notice(text, isProblem) {
    const place = document.getElementById("notice");
    const line = document.createElement("p");
    line.className = isProblem ? "alert bad" : "alert good";
    line.textContent = text;
    place.replaceChildren(line);
    if (!isProblem) setTimeout(() => { if (line.isConnected) line.remove(); }, 8000);
  }

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    // A page that stays as it is shows the notice after it was loaded again.
    if (isStill || form.method === "get" || form.action.endsWith("/dashboard/sign-out")) return;
    event.preventDefault();
    const button = event.submitter ?? form.querySelector("button");
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        headers: { Accept: "application/json" },
      });
      if (answer.status === 401) return location.assign("/dashboard/sign-in");
      const body = await answer.json();
      notice(answer.ok ? body.text : body.detail, !answer.ok || body.isProblem);
      if (followed) poll();
    } catch {
      notice("The notifier cannot be reached; nothing was done, or its answer was lost.", true);
    } finally {
      button.removeAttribute("aria-busy");
    }
  });

  // A notice is shown once: after a reload of the page it is gone.
  const address = new URL(location.href);
  if (address.searchParams.has("notice")) {
    address.searchParams.delete("notice");
    history.replaceState(null, "", address);
  }
  decorate(document);
  follow();
})();
