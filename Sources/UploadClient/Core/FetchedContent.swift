import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import UploadSources
import Uploads

/// Content behind an `http:` or `https:` URL. It is fetched while it is staged, so that the upload sends the bytes of
/// the moment when it was accepted.
struct FetchedContent {
    /// How long the server may send nothing.
    private static let answerPatience = TimeAmount.seconds(60)
    /// How many requests are tried while connections break before any answer: a server may have closed several idle
    /// connections at once.
    private static let triesMaximum = 4
    private static let redirectsMaximum = 20
    /// Follows no redirect by itself: NIO ends the process for a URL with a port that is none.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let staged: StagedFile
    /// The type that the server named.
    let contentType: String?

    /// - Throws: `invalidFile` when the content cannot be fetched completely.
    static func stage(
        _ url: URL, in copies: any CopyStore, as name: JobID? = nil, sha256: Bool = false
    ) async throws(UploadError) -> FetchedContent {
        let shown = DestinationReference.redact(url.absoluteString)
        guard isAddress(url) else {
            throw UploadError(
                .invalidFile,
                "\(shown) cannot be uploaded: use a file:, data:, http: or https: URL, whose port is at most 65535")
        }
        let response: HTTPClientResponse
        do {
            response = try await answer(from: url)
        } catch {
            throw UploadError(
                .invalidFile, "\(shown) cannot be fetched: check the address, or try again", retry: .afterBackoff,
                cause: error)
        }
        guard response.status == .ok else {
            throw UploadError(
                .invalidFile, "\(shown) cannot be fetched: the server answers \(response.status.code)",
                retry: response.status.code >= 500 ? .afterBackoff : .never)
        }
        let staged = try await copies.stage(response.body.map { Array($0.readableBytesView) }, as: name, sha256: sha256)
        if let length = response.headers.first(name: "content-length").flatMap({ Int64($0) }), length != staged.size {
            try? await copies.remove(staged.reference)
            throw UploadError(
                .invalidFile, "\(shown) ended after \(staged.size) of \(length) bytes: try again", retry: .afterBackoff)
        }
        return FetchedContent(staged: staged, contentType: response.headers.first(name: "content-type"))
    }

    private static func isAddress(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.hasValidPort
    }

    /// Follows redirects (RFC 9110, section 15.4).
    /// - Throws: the errors of the HTTP client.
    private static func answer(from url: URL) async throws -> HTTPClientResponse {
        var url = url
        for _ in 0...redirectsMaximum {
            let response = try await answer(to: HTTPClientRequest(url: url.absoluteString))
            guard [301, 302, 303, 307, 308].contains(response.status.code),
                let location = response.headers.first(name: "location")
            else { return response }
            guard let next = URL(string: location, relativeTo: url)?.absoluteURL, isAddress(next) else {
                throw HTTPClientError.invalidURL
            }
            url = next
        }
        throw HTTPClientError.redirectLimitReached
    }

    /// - Throws: the errors of the HTTP client.
    private static func answer(to request: HTTPClientRequest) async throws -> HTTPClientResponse {
        var tries = 1
        while true {
            do {
                return try await client.execute(request, timeout: answerPatience)
            } catch {
                guard isLostConnection(error), tries < triesMaximum, !Task.isCancelled else { throw error }
                tries += 1
            }
        }
    }

    private static func isLostConnection(_ error: any Error) -> Bool {
        error is IOError || error is ChannelError || error as? HTTPClientError == .remoteConnectionClosed
    }
}
