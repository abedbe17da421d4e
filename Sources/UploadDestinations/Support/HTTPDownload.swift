import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOCore
import NIOHTTP1
import Synchronization
import Uploads

/// Passes the bytes of an answer on instead of keeping them in memory.
struct HTTPDownload: Sendable {
    typealias Take = @Sendable ([UInt8]) async throws(UploadError) -> Void

    /// The object's offset at which the wanted bytes begin.
    let offset: Int64
    /// The offset at which they end; nil: the end of the object.
    var end: Int64?
    /// The ETag that the object must have; nil: any.
    var etag: String?
    /// Where there is no ETag, the `Last-Modified` that the object must have; nil: any.
    var modified: String?
    /// The size that the object must have, in bytes; nil: any.
    var size: Int64?
    /// Whether to refuse an answer with a `Content-Encoding`. Not for S3, which stores it as a property of the object and returns the
    /// uploaded bytes as they are.
    var refusesCodings = false
    let take: Take

    /// The `Range` header (RFC 9110, section 14.2). There is none for the whole object, because no range fits an empty object.
    var range: String? { end.map { "bytes=\(offset)-\($0 - 1)" } ?? (offset > 0 ? "bytes=\(offset)-" : nil) }

    /// The `If-Match` header. A weak tag never matches (RFC 9110, section 13.1.1).
    var condition: String? { etag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }

    /// Bytes of the answer's body before the wanted bytes: a server without ranges sends the whole object. The range may be shorter than
    /// the requested one (RFC 9110, section 15.3.7).
    /// - Throws: `sourceChanged`; `invalidResponse` when the server sends another range, or a compressed one.
    fileprivate func skipped(_ reply: HTTPReply, at displayURL: String) throws(UploadError) -> Int64 {
        if refusesCodings, let coding = reply.header("content-encoding"), coding.lowercased() != "identity" {
            throw UploadError(
                .invalidResponse,
                "\(displayURL) was sent as \(coding.prefix(100)), which was not asked for: have the server send it as it is",
                retry: .never, response: reply.response)
        }
        // Some servers ignore conditions.
        let isSame = etag.map { etag in reply.header("etag").map { $0.unquoted == etag.unquoted } ?? true } ?? true
        let isAsOld = modified.map { modified in reply.header("last-modified").map { $0 == modified } ?? true } ?? true
        let total = total(reply)
        guard isSame, isAsOld, size == nil || total == nil || total == size else { throw changed(displayURL) }
        // Some servers send a range with status 200.
        let range = reply.header("content-range")
        if reply.status != 206, range == nil { return offset }
        guard range?.hasPrefix("bytes \(offset)-") == true else {
            throw UploadError(
                .invalidResponse, "\(displayURL) answered with another range than was asked for: look at the server",
                response: reply.response)
        }
        return 0
    }

    /// The size of the object in bytes, as the answer reports it.
    private func total(_ reply: HTTPReply) -> Int64? {
        if let range = reply.header("content-range") { return range.split(separator: "/").last.flatMap { Int64($0) } }
        return reply.status == 206 ? nil : reply.contentLength
    }

    /// Whether the answer does not report the object's size, although the object has to end where the wanted bytes end.
    fileprivate func mustEnd(_ reply: HTTPReply) -> Bool {
        reply.status != 206 && end != nil && end == size && total(reply) == nil
    }

    fileprivate func changed(_ displayURL: String) -> UploadError {
        UploadError(.sourceChanged, "\(displayURL) has changed while it was read: run the job again", retry: .never)
    }
}

extension HTTPReply {
    fileprivate var contentLength: Int64? { header("content-length").flatMap { Int64($0) } }
}

extension String {
    fileprivate var unquoted: Substring { self[...].trimmingPrefix("W/").trimmingPrefix("\"").prefix { $0 != "\"" } }
}

extension HTTPExchange {
    /// Sends a request and passes the body of a successful answer on piece by piece, within the limits of time.
    /// - Returns: the answer, with a body only if it is not a success.
    /// - Throws: the errors of `run`, and of the receiver.
    func download(_ request: HTTPClientRequest, to download: HTTPDownload) async throws(UploadError) -> HTTPReply {
        try await authenticated(request, nil) { request async throws(UploadError) in
            let span = RequestSpan(request.method, displayURL)
            return try await span.ends { () async throws(UploadError) in
                try await downloaded(request.naming(span), to: download)
            }
        }
    }

    private func downloaded(
        _ request: HTTPClientRequest, to download: HTTPDownload
    ) async throws(UploadError) -> HTTPReply {
        let silence = Silence(minimum: times.bytesPerSecondMinimum)
        let result = await withTaskGroup(of: Result<HTTPReply, UploadError>?.self) { group in
            group.addTask { await receive(request, download, silence) }
            group.addTask { await watch(silence) }
            var result: Result<HTTPReply, UploadError>?
            while result == nil, let next = await group.next() { result = next }
            group.cancelAll()
            return result
        }
        guard let result else { throw UploadError(.interrupted, "the request to \(displayURL) was interrupted") }
        return try result.get()
    }

    private func receive(
        _ request: HTTPClientRequest, _ download: HTTPDownload, _ silence: Silence
    ) async -> Result<HTTPReply, UploadError> {
        do {
            let response = try await execute(request) { silence.live() }
            response.headers.tellTime()
            silence.end(0)
            var reply = HTTPReply(
                status: Int(response.status.code), headers: response.headers, body: Data(), isWhole: true)
            guard (200..<300).contains(reply.status) else {
                for try await chunk in response.body {
                    silence.end(chunk.readableBytes)
                    reply.body += Data(chunk.readableBytesView.prefix(keptBytesMaximum - reply.body.count))
                    if reply.body.count >= keptBytesMaximum { break }
                }
                return .success(reply)
            }
            try await deliver(response.body, of: reply, to: download, silence)
            return .success(reply)
        } catch let error as UploadError {
            return .failure(error)
        } catch {
            return .failure(
                Task.isCancelled
                    ? UploadError(.interrupted, "the request to \(displayURL) was interrupted")
                    : UploadError(connection: error, to: displayURL))
        }
    }

    private func deliver(
        _ body: HTTPClientResponse.Body, of reply: HTTPReply, to download: HTTPDownload, _ silence: Silence
    ) async throws {
        var skip = try download.skipped(reply, at: displayURL)
        var count: Int64 = 0
        var wanted = download.end.map { $0 - download.offset } ?? .max
        for try await chunk in body {
            count += Int64(chunk.readableBytes)
            let rest = chunk.readableBytesView.dropFirst(Int(min(skip, Int64(chunk.readableBytes))))
            skip -= Int64(chunk.readableBytes - rest.count)
            let bytes = rest.prefix(Int(clamping: wanted))
            if bytes.count < rest.count, download.mustEnd(reply) { throw download.changed(displayURL) }
            wanted -= Int64(bytes.count)
            silence.end(chunk.readableBytes)
            guard !bytes.isEmpty else { continue }
            // The time that the receiver takes is not the server's.
            silence.pause()
            try await download.take(Array(bytes))
            silence.end(0)
            // A server without ranges sends more bytes: they are not waited for.
            if wanted == 0, !download.mustEnd(reply) { return }
        }
        try Task.checkCancellation()
        // For a range, the caller asks for the rest.
        guard download.end == nil, let announced = reply.contentLength, count < announced else { return }
        throw UploadError(
            .networkFailure, "\(displayURL) sent \(count) of \(announced) bytes: check the network and the server")
    }

    private func watch(_ silence: Silence) async -> Result<HTTPReply, UploadError>? {
        while !Task.isCancelled {
            let (since, isFirst, isTooSlow) = silence.state
            let seconds = isFirst ? times.firstByteSeconds : times.stallSeconds
            if let since, since + .seconds(seconds) <= .now {
                return .failure(
                    UploadError(
                        .networkFailure,
                        "\(displayURL) sent no bytes for \(Int(seconds.rounded(.up))) s: check the network and the server"
                    ))
            }
            if isTooSlow { return .failure(tooSlow) }
            let next = min(seconds, SlowAnswer.windowSeconds / 4)
            try? await Task.sleep(
                until: min((since ?? .now) + .seconds(seconds), .now + .seconds(next)), clock: .continuous)
        }
        return nil
    }

    /// Measures how long the server has owed bytes.
    private final class Silence: Sendable {
        private let minimum: Int
        private let value: Mutex<(slowness: SlowAnswer, isFirst: Bool)>

        init(minimum: Int) {
            self.minimum = minimum
            value = Mutex((SlowAnswer(at: .now, minimum: minimum), true))
        }

        /// `since` is nil while the server owes nothing; `isFirst`: no bytes have come yet; `isTooSlow`: too few bytes come.
        var state: (since: ContinuousClock.Instant?, isFirst: Bool, isTooSlow: Bool) {
            value.withLock { ($0.slowness.since, $0.isFirst, !$0.isFirst && $0.slowness.isTooSlow(at: .now)) }
        }

        func end(_ count: Int) {
            value.withLock { value in
                if value.isFirst { value = (SlowAnswer(at: .now, minimum: minimum), false) }
                value.slowness.receive(count, at: .now)
            }
        }

        /// The server reports that it is working.
        func live() { value.withLock { $0.slowness.receive(0, at: .now) } }

        func pause() {
            value.withLock { value in
                value.slowness.pause(at: .now)
                value.isFirst = false
            }
        }
    }
}
