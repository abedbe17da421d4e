import Foundation

/// A collector of traces and metrics by OTLP/HTTP, which reads them with the classes of opentelemetry-proto.
public final class OTLPCollector: Sendable {
    /// A span as the collector read it.
    public struct Span: Sendable {
        public let service: String
        public let name: String
        public let kind: String
        /// In Base64, as the JSON of protocol buffers has bytes.
        public let trace: String
        public let id: String
        public let parent: String?
        public let attributes: [String: String]
        /// The places of the linked spans: trace and id.
        public let links: [[String]]
        public let isError: Bool

        /// The value of `traceparent` that names this span.
        public var traceParent: String { "00-\(hexadecimal(trace))-\(hexadecimal(id))-01" }

        private func hexadecimal(_ text: String) -> String {
            (Data(base64Encoded: text) ?? Data()).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    private let process: ServerProcess
    private let isSecure: Bool

    /// Starts a collector for one test. It ends with the value.
    /// - Parameters:
    ///   - refusals: the number of requests that it refuses before it takes one.
    ///   - certificates: what it uses with TLS, and whose client it lets in; nil for plain HTTP.
    public static func start(refusals: Int = 0, certificates: TestCertificates? = nil) async throws -> OTLPCollector {
        let python = try await TestProgram.python(with: "opentelemetry.proto")
        return try await ServerProcess.start { try await OTLPCollector(python, refusals, certificates) }
    }

    private init(_ python: String, _ refusals: Int, _ certificates: TestCertificates?) async throws {
        isSecure = certificates != nil
        let directory = try TemporaryDirectory("otlp")
        let port = try Ports.free()
        var settings: [String: Any] = ["port": port, "file": directory.path("taken.ndjson"), "refusals": refusals]
        settings["tls"] = certificates.map {
            ["authority": $0.authority, "certificate": $0.serverCertificate, "key": $0.serverKey]
        }
        try JSONSerialization.data(withJSONObject: settings).write(to: directory.file("settings.json"))
        process = try await ServerProcess(
            "the OTLP collector", port: port, directory: directory, python,
            [TestProgram.script("otlp-collector.py"), directory.path("settings.json")])
    }

    public var url: String { isSecure ? "https://localhost:\(process.port)" : "http://127.0.0.1:\(process.port)" }

    private func messages(at path: String) throws -> [[String: Any]] {
        let text = String(decoding: process.directory.read("taken.ndjson") ?? [], as: UTF8.self)
        return try text.split(separator: "\n").compactMap { line in
            let taken = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            guard taken["path"] as? String == path else { return nil }
            let message = taken["message"] as? [String: Any] ?? [:]
            if let error = message["error"] { throw DidNotHappen("the collector cannot read a message: \(error)") }
            return message
        }
    }

    /// The headers of each request for traces, with names in lower case.
    public func headers() throws -> [[String: String]] {
        let text = String(decoding: process.directory.read("taken.ndjson") ?? [], as: UTF8.self)
        return try text.split(separator: "\n").map { line in
            let taken = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return taken?["headers"] as? [String: String] ?? [:]
        }
    }

    /// All spans so far.
    public func spans() throws -> [Span] {
        try messages(at: "/v1/traces").flatMap { message in
            Self.list(message, "resourceSpans").flatMap { group in
                let resource = Self.attributes((group["resource"] as? [String: Any]) ?? [:])
                return Self.list(group, "scopeSpans").flatMap { Self.list($0, "spans") }.map { span in
                    Span(
                        service: resource["service.name"] ?? "", name: span["name"] as? String ?? "",
                        kind: span["kind"] as? String ?? "", trace: span["traceId"] as? String ?? "",
                        id: span["spanId"] as? String ?? "", parent: span["parentSpanId"] as? String,
                        attributes: Self.attributes(span),
                        links: Self.list(span, "links").map { link in
                            [link["traceId"] as? String ?? "", link["spanId"] as? String ?? ""]
                        },
                        isError: (span["status"] as? [String: Any])?["code"] as? String == "STATUS_CODE_ERROR")
                }
            }
        }
    }

    /// The latest values of a metric with these labels, of all programs: a counter's or gauge's value, and a histogram's count.
    public func values(of metric: String, _ labels: [String: String] = [:]) throws -> [Double] {
        var values: [String: Double] = [:]
        for message in try messages(at: "/v1/metrics") {
            for group in Self.list(message, "resourceMetrics") {
                let resource = Self.attributes((group["resource"] as? [String: Any]) ?? [:])
                for found in Self.list(group, "scopeMetrics").flatMap({ Self.list($0, "metrics") })
                where found["name"] as? String == metric {
                    let kinds = ["sum", "gauge", "histogram"].compactMap { found[$0] as? [String: Any] }
                    for point in kinds.flatMap({ Self.list($0, "dataPoints") }) {
                        let own = Self.attributes(point)
                        guard labels.allSatisfy({ own[$0.key] == $0.value }) else { continue }
                        let key = "\(resource["service.instance.id"] ?? "") \(own.sorted { $0.key < $1.key })"
                        values[key] = point["asDouble"] as? Double ?? Double(point["count"] as? String ?? "0")
                    }
                }
            }
        }
        return Array(values.values)
    }

    private static func list(_ object: [String: Any], _ name: String) -> [[String: Any]] {
        object[name] as? [[String: Any]] ?? []
    }

    private static func attributes(_ object: [String: Any]) -> [String: String] {
        var all: [String: String] = [:]
        for attribute in list(object, "attributes") {
            guard let key = attribute["key"] as? String, let value = attribute["value"] as? [String: Any] else {
                continue
            }
            all[key] = value.values.first.map { "\($0)" }
        }
        return all
    }
}
