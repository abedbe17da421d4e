import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Uploads

/// One small request to a service that issues credentials. Errors contain only the status of its answer, because the body may hold a secret.
struct CredentialsExchange: Sendable {
    /// The most bytes of an answer; credentials take 2 KiB.
    static let answerBytesMaximum = 64 << 10

    struct Answer: Sendable {
        let status: Int
        let body: Data

        /// The body as text, for an answer that is a single word.
        var text: String { String(decoding: body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    let client: HTTPClient
    /// The service, as a message names it.
    let place: String

    private enum Ending: Sendable {
        case answered(Answer)
        case failed(any Error)
        case late
    }

    /// How often the exchange asks before a service counts as silent or broken.
    static let tries = 2

    /// Asks, and asks once more if the service does not answer or answers with 5xx.
    /// - Parameter seconds: the limit for each try, connecting included.
    /// - Throws: `networkFailure`, `invalidResponse`, `misconfigured` (TLS), `interrupted`. Every status is returned, not thrown.
    func answer(
        to method: HTTPMethod, _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: String? = nil,
        withinSeconds seconds: TimeInterval
    ) async throws(UploadError) -> Answer {
        for _ in 1..<Self.tries {
            do {
                let answer = try await once(method, url, headers: headers, body: body, withinSeconds: seconds)
                if answer.status < 500 { return answer }
            } catch {
                guard error.code == .networkFailure else { throw error }
            }
        }
        return try await once(method, url, headers: headers, body: body, withinSeconds: seconds)
    }

    private func once(
        _ method: HTTPMethod, _ url: String, headers: HTTPHeaders, body: String?, withinSeconds seconds: TimeInterval
    ) async throws(UploadError) -> Answer {
        guard URL(string: url)?.hasValidPort != false else {
            throw UploadError(.misconfigured, "the URL of \(place) names a port that is none: correct it")
        }
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = headers
        request.body = body.map { .bytes(ByteBuffer(string: $0)) }
        let ready = request
        let ending = await withTaskGroup(of: Ending.self) { group in
            group.addTask {
                do {
                    let response = try await client.execute(ready, deadline: .distantFuture)
                    let body = try await response.body.collect(upTo: Self.answerBytesMaximum)
                    return .answered(Answer(status: Int(response.status.code), body: Data(body.readableBytesView)))
                } catch {
                    return .failed(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return .late
            }
            let first = await group.next() ?? .late
            group.cancelAll()
            return first
        }
        if case .answered(let answer) = ending { return answer }
        if Task.isCancelled { throw UploadError(.interrupted, "the request to \(place) was interrupted") }
        switch ending {
        case .failed(let error) where error is NIOTooManyBytesError:
            throw UploadError(
                .invalidResponse, "\(place) answered more than 64 KiB: those are no credentials; check its address")
        case .failed(let error) where error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError:
            throw UploadError(
                .misconfigured, "the TLS connection to \(place) could not be made: check its certificate",
                retry: .afterBackoff, cause: error)
        case .failed(let error):
            throw UploadError(
                .networkFailure, "\(place) cannot be reached: check its address and the network", cause: error)
        default:
            throw UploadError(
                .networkFailure,
                "\(place) did not answer within \(Int(seconds.rounded(.up))) s: check its address and the network")
        }
    }

    /// The error for a status that reports a failure.
    func failure(_ answer: Answer, reason: String? = nil) -> UploadError {
        let reason = reason.map { " (\($0))" } ?? ""
        let (code, remedy): (UploadError.Code, String) =
            switch answer.status {
            case 401, 403: (.accessDenied, "check the rights of this host or role")
            case 429: (.rateLimited, "it asks for fewer requests")
            case 500...: (.serverFailure, "it failed at its side")
            default: (.invalidResponse, "check its address, and the role that it gives credentials for")
            }
        return UploadError(
            code, "\(place) gave no credentials but answered \(answer.status)\(reason): \(remedy)", retry: .afterBackoff
        )
    }

    /// The name of an error, for a message; nil for a text that may not be a name.
    static func errorName(_ text: String?) -> String? {
        guard let text, (1...64).contains(text.utf8.count), text.utf8.allSatisfy(isNameByte) else { return nil }
        return text
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
