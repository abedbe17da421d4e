"""Does the six tasks of an operator in a real browser, in a pool with jobs in every state: none may take more than three clicks or keys
besides the text that the operator types. Then it looks at every page: its size, which has a limit, and its time, which it prints."""
import json
import re
import sys
import urllib.parse
import urllib.request

from playwright.sync_api import expect, sync_playwright

base, token, lost, taken = sys.argv[1:5]
expect.set_options(timeout=120_000)
steps_maximum = 3
bytes_maximum = 100_000
# An order about very many jobs takes longer than a page waits.
given = re.compile("done\\.|is being carried out")


def api(path):
    request = urllib.request.Request(base + path, headers={"Authorization": "Bearer " + token})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


class Task:
    """Counts the clicks and keys of a task that begins on the first page."""

    def __init__(self, name):
        self.name, self.steps = name, 0
        page.goto(base + "/")

    def click(self, element):
        element.click()
        self.steps += 1

    def press(self, key):
        page.keyboard.press(key)
        self.steps += 1

    def done(self):
        print(f"{self.name}: {self.steps} clicks or keys")
        assert self.steps <= steps_maximum, self.name


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--disable-gpu"])
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(base + "/")
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    expect(page.locator("#connection")).to_have_text("Live")
    counts = {status: len(api(f"/v1/jobs?status={status}&limit=1")["jobs"]) for status in
              ["queued", "running", "waiting", "paused", "completed", "failed", "cancelled"]}
    assert all(counts.values()), counts

    task = Task("why one file has not arrived")
    page.get_by_label("Find jobs").fill(lost)
    task.press("Enter")
    task.click(page.get_by_role("link", name=lost))
    expect(page.locator(".why")).to_contain_text("It has failed")
    task.done()

    task = Task("run again all that failed at one destination since a time")
    [group] = [group for group in api("/v1/failures")["failures"] if group["destination"] == taken]
    expected = group["jobs"]
    task.click(page.get_by_label(f"Run again what failed at {taken}"))
    page.get_by_label("Only those that ended since").fill("2h")
    task.press("Enter")
    expect(page.get_by_role("heading", name=f"Run {expected:,} job")).to_be_visible()
    task.click(page.get_by_role("button", name="Run"))
    expect(page.locator("#notice")).to_contain_text(given)
    task.done()

    task = Task("hold back one customer's batch")
    page.get_by_label("Find jobs").fill("customer-queued")
    task.press("Enter")
    task.click(page.get_by_role("link", name="Pause all"))
    task.click(page.get_by_role("button", name="Pause"))
    expect(page.locator("#notice")).to_contain_text(given)
    task.done()

    task = Task("whether a webhook is behind, and deliver again")
    expect(page.locator("#delegate-hook")).to_contain_text("to deliver")
    task.click(page.locator("#delegate-hook").get_by_role("link", name="hook"))
    task.click(page.get_by_role("button", name="Deliver again what failed"))
    expect(page.locator("#notice")).to_contain_text("delivered again.")
    task.done()

    task = Task("when the queue will be empty")
    expect(page.locator("#queue-default [data-label='Time left']")).not_to_contain_text("–")
    task.done()

    task = Task("stop one worker for maintenance")
    task.click(page.get_by_role("link", name="Workers"))
    task.click(page.get_by_role("button", name="Drain worker").first)
    expect(page.locator("tbody .badge").first).to_contain_text("Drain")
    task.done()

    worker = urllib.parse.quote(api("/v1/workers")["workers"][0]["name"], safe="")
    job = api(f"/v1/jobs?text={urllib.parse.quote(lost)}")["jobs"][0]["id"]
    lists = [f"/dashboard/jobs?status={status}" for status in counts]
    places = ["/", "/dashboard/jobs", *lists, f"/dashboard/jobs?text={urllib.parse.quote(lost)}",
              "/dashboard/jobs?batch=customer-completed", f"/dashboard/jobs?destination={taken}&error={group['error']}",
              f"/dashboard/jobs/{job}", "/dashboard/queues", "/dashboard/queues/default", "/dashboard/workers",
              f"/dashboard/workers/{worker}", "/dashboard/destinations", "/dashboard/delegates", "/dashboard/delegates/hook",
              "/dashboard/delegates/hook?status=waiting", "/dashboard/dead-letters", "/dashboard/audit",
              "/dashboard/orders/run-again?status=failed", "/dashboard/orders/pause?text=customer",
              *[f"/dashboard/history?period={period}" for period in ["hour", "day", "week", "month"]]]
    slowest = (0, "")
    for place in places:
        times = []
        for _ in range(5):
            answer = page.goto(base + place)
            assert answer.status == 200, (place, answer.status)
            times.append(page.evaluate(
                "(() => { const t = performance.getEntriesByType('navigation')[0]; return t.responseEnd - t.requestStart })()"))
        size = len(answer.body())
        assert size < bytes_maximum, (place, size)
        slowest = max(slowest, (max(times), place))
        print(f"{place}: {size} bytes, median {sorted(times)[2]:.1f} ms, longest {max(times):.1f} ms")
    print(f"longest of all: {slowest[0]:.1f} ms, {slowest[1]}")
    browser.close()
