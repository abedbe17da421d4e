import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import SwiftProtobuf

/// Posts messages to a collector by OTLP/HTTP (OpenTelemetry Protocol 1.10, section "OTLP/HTTP").
struct OTLPClient: Sendable {
    /// Why the collector has not taken a message.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        /// Whether the same message may be taken later.
        let passes: Bool
        /// Seconds that the collector asks to wait.
        var after: Double?
    }

    static let answerBytesMaximum = 64 << 10
    /// Seconds before the second try; each further pause is twice as long.
    static let firstPause = 0.5
    static let pauseMaximum = 5.0

    let export: TelemetrySettings.Export
    private let client: HTTPClient

    /// - Parameter tls: made by ``tls(_:)``.
    init(_ export: TelemetrySettings.Export, _ tls: TLSConfiguration) {
        self.export = export
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(5)
        configuration.httpVersion = .http1Only
        // Otherwise each export would make a span, which would be exported.
        configuration.tracing.tracer = nil
        configuration.tlsConfiguration = tls
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// - Throws: for a file that is missing, or holds no certificate or key in PEM.
    static func tls(_ export: TelemetrySettings.Export) throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let path = export.certificate { tls.trustRoots = .file(path) }
        if let path = export.clientCertificate {
            tls.certificateChain = try NIOSSLCertificate.fromPEMFile(path).map { .certificate($0) }
        }
        if let path = export.clientKey { tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: path, format: .pem)) }
        // A bad file is told now, and not with each export.
        _ = try NIOSSLContext(configuration: tls)
        return tls
    }

    /// Sends a message again and again until the collector has taken it, refuses it, or the time is over.
    /// - Parameter seconds: the time; 0: one try.
    /// - Returns: the body of the answer.
    func send(_ message: some SwiftProtobuf.Message, within seconds: TimeInterval) async throws -> Data {
        let body: Data = try message.serializedData()
        let end = ContinuousClock.now + .seconds(seconds)
        var pause = Self.firstPause
        while true {
            do {
                return try await post(body)
            } catch let failure as Failure {
                let wait = max(failure.after ?? 0, pause * .random(in: 0.8...1.2))
                guard failure.passes, .now + .seconds(wait) < end else { throw failure }
                try await Task.sleep(for: .seconds(wait))
                pause = min(pause * 2, Self.pauseMaximum)
            }
        }
    }

    /// Closes the connections. To be called once, at the end.
    func close() async { try? await client.shutdown() }

    private func post(_ body: Data) async throws -> Data {
        var request = HTTPClientRequest(url: export.url.absoluteString)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/x-protobuf")
        request.headers.add(name: "user-agent", value: "Longshore")
        for (name, value) in export.headers { request.headers.replaceOrAdd(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let (status, headers, answer): (HTTPResponseStatus, HTTPHeaders, ByteBuffer)
        do {
            let response = try await client.execute(request, timeout: .milliseconds(Int64(export.timeout * 1000)))
            (status, headers) = (response.status, response.headers)
            answer = try await response.body.collect(upTo: Self.answerBytesMaximum)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            throw Failure(description: "\(shownURL) cannot be reached, or did not answer: \(reason)", passes: true)
        }
        switch status.code {
        case 200..<300: return Data(answer.readableBytesView)
        case 429, 502, 503, 504:
            let after = headers.first(name: "retry-after").flatMap { Double($0) }.map { min(max(0, $0), 3600) }
            throw Failure(description: "\(shownURL) answered \(status.code)", passes: true, after: after)
        default: throw Failure(description: "\(shownURL) answered \(status.code)", passes: false)
        }
    }

    /// Without user and query, which may be secrets.
    private var shownURL: String {
        "\(export.url.scheme ?? "")://\(export.url.host() ?? "")\(export.url.port.map { ":\($0)" } ?? "")\(export.url.path)"
    }
}
