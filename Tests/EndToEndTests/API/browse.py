"""Uses the dashboard as a person does, in a real browser: it is live, its buttons do what they say, names that people made
up stay text, and it sends no request to another server."""
import os
import re
import sys
import time
import urllib.parse
import urllib.request
import json

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

base, token, running, failing, hostile = sys.argv[1:6]
# A directory for pictures of every page, to look at.
shots = os.environ.get("LONGSHORE_SCREENSHOTS")
expect.set_options(timeout=120_000)
said, asked = [], []


def api(path):
    request = urllib.request.Request(base + path, headers={"Authorization": "Bearer " + token})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def wait(what, condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def listen(page):
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--disable-gpu"])
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    listen(page)

    # A wrong token, and the right one.
    page.goto(base + "/")
    assert page.url == base + "/dashboard/sign-in", page.url
    page.get_by_label("Token").fill("not the token at all")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("not the token")
    assert all("401" in text for text in said), said
    said.clear()
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    expect(page.locator("#connection")).to_have_text("Live")
    assert page.url == base + "/", page.url
    cookie = context.cookies()[0]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and token not in cookie["value"], cookie
    assert page.evaluate("document.cookie") == ""

    # A progress bar moves.
    bar = page.locator(f"#running-{running} progress")
    values = []

    def moved():
        value = bar.get_attribute("value", timeout=1000) if bar.count() else None
        if value and (not values or int(value) > values[-1]):
            values.append(int(value))
        return len(values) > 1

    wait("the bar moves", moved)

    # A failed job appears among those of its kind.
    group = page.locator("#part-failures li")
    expect(group).to_have_count(1)
    expect(group).to_contain_text("1 at ")

    # A file is found by a part of its name.
    page.get_by_label("Find jobs").fill("onerror")
    page.keyboard.press("Enter")
    rows = page.locator("main .rows > li")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(hostile)
    assert page.locator("main script, main img").count() == 0
    page.get_by_label("Status").select_option("completed")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".empty")).to_have_text("No job matches.")
    page.get_by_role("link", name="Pool").click()
    expect(page.locator("#connection")).to_have_text("Live")

    # Every job has a page: why it does not run, its history, and what can be done; what cannot be undone asks first.
    group.get_by_role("link", name="the last one").click()
    expect(page.locator(".why")).to_contain_text("It has failed")
    expect(page.locator(".history")).to_contain_text("attempt 1 failed")
    expect(page.locator(".commands")).to_contain_text(f"uploadctl discard {failing}")
    assert page.locator("main script, main img").count() == 0
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("heading", name="Discard this job?")).to_be_visible()
    page.get_by_role("link", name="Go back").click()
    expect(page.locator("#connection")).to_have_text("Live")

    # All failed jobs of a kind are run again: the question says how many they are.
    page.get_by_role("link", name="Pool").click()
    group.get_by_role("link", name="Run again").click()
    expect(page.get_by_role("heading", name="Run 1 job again?")).to_be_visible()
    expect(page.locator("main")).to_contain_text(hostile)
    page.get_by_role("button", name="Run 1 job again").click()
    expect(page.locator("#notice")).to_contain_text("Run 1 job again: done.")
    wait("the job runs again", lambda: api(f"/v1/jobs/{failing}")["job"]["round"] == 2)

    # The orders are kept, with the name of the token.
    page.get_by_role("link", name="Orders").click()
    expect(page.locator("main .rows > li").first).to_contain_text("notifier.token from 127.0.0.1")

    # A worker is drained and resumed.
    page.get_by_role("link", name="Workers").click()
    page.get_by_role("button", name="Drain worker").click()
    expect(page.locator("tbody .badge")).to_contain_text("Drain")
    page.get_by_role("button", name="Resume worker").click()
    expect(page.locator("tbody .badge")).to_have_count(0)

    # A queue is stopped, on this page and for all workers, and started with the keyboard.
    page.get_by_role("link", name="Pool").click()
    queue = page.locator("#queue-video")
    queue.get_by_role("button", name="Stop queue video").click()
    expect(page.get_by_role("heading", name="Stop queue video?")).to_be_visible()
    page.get_by_role("button", name="Stop the queue").click()
    expect(page.locator("#notice")).to_contain_text("Queue video is stopped")
    expect(queue).to_contain_text("Stopped")
    assert api("/v1/queues/video")["isStopped"]
    page.evaluate("window.isSamePage = true")
    queue.get_by_role("button", name="Start queue video").focus()
    page.keyboard.press("Enter")
    expect(queue.get_by_role("button", name="Stop queue video")).to_be_visible()
    assert not api("/v1/queues/video")["isStopped"]
    assert page.evaluate("window.isSamePage"), "the page was loaded again"

    # The same works without scripts.
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    form = plain.new_page()
    listen(form)
    form.goto(base + "/")
    form.get_by_role("button", name="Pause delegate hook").click()
    expect(form.locator("#notice")).to_contain_text("Delegate hook is paused")
    expect(page.locator("#delegate-hook")).to_contain_text("Paused")
    form.get_by_role("button", name="Resume delegate hook").click()
    expect(form.locator("#notice")).to_contain_text("served again")

    # The page reports a lost connection, and restores it by itself.
    other = context.new_page()
    other.route("**/dashboard/stream", lambda route: route.abort())
    other.goto(base + "/")
    expect(other.locator("#connection")).to_contain_text("Connection lost")
    other.unroute("**/dashboard/stream")
    expect(other.locator("#connection")).to_have_text("Live")
    other.close()

    # On a telephone no element is wider than the screen, on any page; and no page is long.
    worker = "/dashboard/workers/" + urllib.parse.quote(api("/v1/workers")["workers"][0]["name"], safe="")
    places = ["/", "/dashboard/jobs", f"/dashboard/jobs/{failing}", "/dashboard/queues", "/dashboard/queues/video",
              "/dashboard/workers", worker, "/dashboard/orders/drain-workers",
              "/dashboard/destinations", "/dashboard/delegates", "/dashboard/delegates/hook", "/dashboard/dead-letters",
              "/dashboard/history?period=week", "/dashboard/audit", "/dashboard/orders/pause?queue=video"]
    # Each can be used with a screen reader and read by people who see little contrast, as far as axe can tell.
    axe = Axe()
    for width, height, scheme in [(400, 4000, "light"), (400, 4000, "dark"), (1280, 2000, "light"), (1280, 2000, "dark")]:
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)
        for place in places:
            page.goto(base + place)
            size = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
            assert size[0] <= width and size[1] <= height, (place, width, size)
            if (width == 400) == (scheme == "dark"):
                found = axe.run(page).response["violations"]
                assert not found, (scheme, place, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found])
            if shots:
                name = re.sub("[^a-z0-9]+", "-", place) or "-"
                page.screenshot(path=f"{shots}/{width}-{scheme}{name}.png", full_page=True)
    page.goto(base + "/")

    # After signing out, the page shows no data any more.
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/dashboard/sign-in$"))
    form.goto(base + "/")
    expect(form).to_have_url(re.compile("/dashboard/sign-in$"))

    strangers = [url for url in asked if not url.startswith(base + "/")]
    assert not strangers, strangers
    assert not said, said
    browser.close()
