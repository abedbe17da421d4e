import Metrics
import Testing

@testable import UploadBootstrap

struct PrometheusTests {
    private let registry = PrometheusRegistry()

    @Test func `a counter counts, whoever asked for it`() {
        Counter(label: "upload_jobs_total", dimensions: [("queue", "q"), ("outcome", "done")], factory: registry)
            .increment()
        Counter(label: "upload_jobs_total", dimensions: [("outcome", "done"), ("queue", "q")], factory: registry)
            .increment(by: 2)
        #expect(
            registry.exposition == """
                # TYPE upload_jobs_total counter
                upload_jobs_total{outcome="done",queue="q"} 3

                """)
    }

    @Test func `gauges go up and down`() {
        let meter = Meter(label: "upload_in_flight", factory: registry)
        meter.set(5)
        meter.decrement(by: 1.5)
        #expect(registry.exposition == "# TYPE upload_in_flight gauge\nupload_in_flight 3.5\n")
        Gauge(label: "b", factory: registry).record(7)
        #expect(registry.exposition.contains("# TYPE b gauge\nb 7\n"))
    }

    @Test func `a timer is a cumulative histogram in seconds`() {
        let timer = Timer(label: "upload_seconds", factory: registry)
        timer.recordNanoseconds(5_000_000)
        timer.recordNanoseconds(2_000_000_000)
        timer.recordNanoseconds(7_200_000_000_000)
        let lines = registry.exposition.split(separator: "\n")
        #expect(lines[0] == "# TYPE upload_seconds histogram")
        #expect(lines.contains("upload_seconds_bucket{le=\"0.005\"} 1"), "a bound belongs to its bucket")
        #expect(lines.contains("upload_seconds_bucket{le=\"1\"} 1"))
        #expect(lines.contains("upload_seconds_bucket{le=\"2.5\"} 2"))
        #expect(lines.contains("upload_seconds_bucket{le=\"3600\"} 2"))
        #expect(lines.contains("upload_seconds_bucket{le=\"+Inf\"} 3"))
        #expect(lines.contains("upload_seconds_sum 7202.005"))
        #expect(lines.contains("upload_seconds_count 3"))
    }

    @Test func `label values are escaped and names are made fit`() {
        Counter(label: "a-b.c", dimensions: [("x y", "quote \" slash \\ line \n end")], factory: registry).increment()
        #expect(
            registry.exposition
                == "# TYPE a_b_c counter\na_b_c{x_y=\"quote \\\" slash \\\\ line \\n end\"} 1\n")
    }

    @Test func `one name has one type`() {
        Counter(label: "a", factory: registry).increment()
        Meter(label: "a", factory: registry).set(9)
        #expect(registry.exposition == "# TYPE a counter\na 1\n")
    }
}
