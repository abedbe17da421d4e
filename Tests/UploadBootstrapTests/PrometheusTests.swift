import Foundation
import Metrics
import Testing

@testable import UploadBootstrap

struct PrometheusTests {
    private let registry = PrometheusRegistry()

    @Test func `callers that name the labels in different orders share one counter`() {
        Counter(label: "upload_jobs_total", dimensions: [("queue", "q"), ("outcome", "done")], factory: registry)
            .increment()
        Counter(label: "upload_jobs_total", dimensions: [("outcome", "done"), ("queue", "q")], factory: registry)
            .increment(by: 2)
        #expect(
            registry.exposition(.text) == """
                # TYPE upload_jobs_total counter
                # HELP upload_jobs_total Jobs that ended, by outcome.
                upload_jobs_total{outcome="done",queue="q"} 3.0

                """)
    }

    @Test func `OpenMetrics names a family without its suffix, says its unit, and ends`() {
        Counter(label: "upload_bytes_total", factory: registry).increment(by: 7)
        Counter(label: "odd", factory: registry).increment()
        #expect(
            registry.exposition(.openMetrics) == """
                # TYPE odd counter
                odd_total 1.0
                # TYPE upload_bytes counter
                # UNIT upload_bytes bytes
                # HELP upload_bytes Bytes sent to destinations.
                upload_bytes_total 7.0
                # EOF

                """)
        #expect(PrometheusRegistry().exposition(.openMetrics) == "# EOF\n")
    }

    @Test func `gauges go up and down`() {
        let meter = Meter(label: "in_flight", factory: registry)
        meter.set(5)
        meter.decrement(by: 1.5)
        #expect(registry.exposition(.text) == "# TYPE in_flight gauge\nin_flight 3.5\n")
        Gauge(label: "b", factory: registry).record(7)
        #expect(registry.exposition(.text).contains("# TYPE b gauge\nb 7.0\n"))
    }

    @Test func `what a gauge measured is gone when it is destroyed, and what was counted stays`() {
        for name in ["a", "b"] {
            Gauge(label: "upload_delegate_backlog", dimensions: [("delegate", name)], factory: registry).record(1)
        }
        let counter = Counter(label: "upload_jobs_total", factory: registry)
        counter.increment()
        Gauge(label: "upload_delegate_backlog", dimensions: [("delegate", "a")], factory: registry).destroy()
        counter.destroy()
        #expect(!registry.exposition(.text).contains(#"delegate="a""#))
        #expect(registry.exposition(.text).contains(#"upload_delegate_backlog{delegate="b"} 1"#))
        #expect(registry.exposition(.text).contains("upload_jobs_total 1"))
    }

    @Test func `a timer is a cumulative histogram in seconds`() {
        let timer = Timer(label: "upload_seconds", factory: registry)
        timer.recordNanoseconds(5_000_000)
        timer.recordNanoseconds(2_000_000_000)
        timer.recordNanoseconds(7_200_000_000_000)
        let lines = registry.exposition(.text).split(separator: "\n")
        #expect(lines[0] == "# TYPE upload_seconds histogram")
        #expect(lines.contains("upload_seconds_bucket{le=\"0.005\"} 1"), "a bound belongs to its bucket")
        #expect(lines.contains("upload_seconds_bucket{le=\"1.0\"} 1"))
        #expect(lines.contains("upload_seconds_bucket{le=\"2.5\"} 2"))
        #expect(lines.contains("upload_seconds_bucket{le=\"3600.0\"} 2"))
        #expect(lines.contains("upload_seconds_bucket{le=\"+Inf\"} 3"))
        #expect(lines.contains("upload_seconds_sum 7202.005"))
        #expect(lines.contains("upload_seconds_count 3"))
        let samples = registry.exposition(.openMetrics).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples == lines.filter { !$0.hasPrefix("#") }, "a series is the same one in both formats")
    }

    @Test func `label values are escaped and names are made fit`() {
        Counter(label: "a-b.c", dimensions: [("x y", "quote \" slash \\ line \n \"\u{301} end")], factory: registry)
            .increment()
        #expect(
            registry.exposition(.text)
                == "# TYPE a_b_c_total counter\na_b_c_total{x_y=\"quote \\\" slash \\\\ line \\n \\\"\u{301} end\"} 1.0\n"
        )
    }

    @Test func `one name has one type`() {
        Counter(label: "a_total", factory: registry).increment()
        Meter(label: "a", factory: registry).set(9)
        #expect(registry.exposition(.text) == "# TYPE a_total counter\na_total 1.0\n")
    }

    @Test(arguments: [
        (nil, PrometheusFormat.text), ("*/*", .text), ("text/plain", .text),
        ("application/openmetrics-text", .openMetrics),
        ("application/openmetrics-text; version=1.0.0; charset=utf-8", .openMetrics),
        ("application/openmetrics-text; version=0.0.1", .text), ("application/openmetrics-text;q=0, */*", .text),
        ("application/OpenMetrics-Text;version=\"1.0.0\" ;q=0.5,text/plain;q=0.9", .text), ("rubbish;;=,q", .text),
        (
            "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,"
                + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2", .openMetrics
        ),
    ])
    func `the format is the one that is asked for`(accept: String?, format: PrometheusFormat) {
        #expect(PrometheusFormat(accept: accept) == format)
    }

    @Test func `each metric that the code names has its help, and nothing else has`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter {
                $0.pathExtension == "swift" && $0.lastPathComponent != "PrometheusHelp.swift"
            }
        var named: Set<String> = []
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("import Metrics") || text.contains("GaugeFamily(") else { continue }
            named.formUnion(text.matches(of: /"((?:upload|process)_[a-z_]+)"/).map { String($0.1) })
        }
        #expect(named.subtracting(PrometheusHelp.texts.keys).isEmpty)
        #expect(Set(PrometheusHelp.texts.keys).subtracting(named).isEmpty)
        #expect(PrometheusHelp.texts.values.allSatisfy { !$0.contains(where: { "\"\\\n".contains($0) }) })
    }
}
