import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
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

    /// - Throws: ``Failure`` for a file that is missing, or holds no certificate or key in PEM, and for a key that belongs to another
    ///   certificate.
    static func tls(_ export: TelemetrySettings.Export) throws -> TLSConfiguration {
        func read<Value>(_ path: String?, _ what: String, _ load: (String) throws -> Value) throws -> Value? {
            guard let path else { return nil }
            do { return try load(path) } catch {
                throw Failure(description: "\(path) cannot be read, or holds no \(what) in PEM", passes: false)
            }
        }
        var tls = TLSConfiguration.makeClientConfiguration()
        if let roots = try read(export.certificate, "certificate", NIOSSLCertificate.fromPEMFile) {
            tls.trustRoots = .certificates(roots)
        }
        if let chain = try read(export.clientCertificate, "certificate", NIOSSLCertificate.fromPEMFile) {
            tls.certificateChain = chain.map { .certificate($0) }
        }
        tls.privateKey = try read(export.clientKey, "key") { .privateKey(try NIOSSLPrivateKey(file: $0, format: .pem)) }
        // Told now, and not with each export.
        do { _ = try NIOSSLContext(configuration: tls) } catch {
            throw Failure(description: "the program's certificate and key do not belong together", passes: false)
        }
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
            throw Failure(
                description: "\(shownURL) cannot be reached, or did not answer: \(Self.reason(error))", passes: true)
        }
        switch status.code {
        case 200..<300: return Data(answer.readableBytesView)
        case 429, 502, 503, 504:
            let after = headers.first(name: "retry-after").flatMap { Double($0) }.map { min(max(0, $0), 3600) }
            throw Failure(description: "\(shownURL) answered \(status.code)", passes: true, after: after)
        default: throw Failure(description: "\(shownURL) answered \(status.code)", passes: false)
        }
    }

    /// The words of an error: the libraries' own ones name places in their code, on the machine that built the program.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { return reason(first.error) }
            return "its host has no address"
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case let error as HTTPClientError: return error.shortDescription
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return "its certificate is for another name"
        case NIOSSLError.uncleanShutdown: return "the connection was lost"
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            return "it is not trusted, or asks for a certificate (OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE)"
        default: return "\(error)"
        }
    }

    /// Without user and query, which may be secrets.
    private var shownURL: String {
        "\(export.url.scheme ?? "")://\(export.url.host() ?? "")\(export.url.port.map { ":\($0)" } ?? "")\(export.url.path)"
    }
}
