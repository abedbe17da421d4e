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

    let staged: StagedFile
    /// The type that the server named.
    let contentType: String?

    /// - Throws: `invalidFile` when the content cannot be fetched completely.
    static func stage(_ url: URL, in area: StagingArea, as name: JobID? = nil) async throws(UploadError)
        -> FetchedContent
    {
        let shown = DestinationReference.redact(url.absoluteString)
        guard ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw UploadError(
                .invalidFile, "\(shown) cannot be uploaded: use a file:, data:, http: or https: URL")
        }
        let response: HTTPClientResponse
        do {
            response = try await answer(to: HTTPClientRequest(url: url.absoluteString))
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
        let staged = try await area.stage(response.body.map { Array($0.readableBytesView) }, as: name)
        if let length = response.headers.first(name: "content-length").flatMap({ Int64($0) }), length != staged.size {
            try? await area.remove(staged.reference)
            throw UploadError(
                .invalidFile, "\(shown) ended after \(staged.size) of \(length) bytes: try again", retry: .afterBackoff)
        }
        return FetchedContent(staged: staged, contentType: response.headers.first(name: "content-type"))
    }

    /// - Throws: the errors of the HTTP client.
    private static func answer(to request: HTTPClientRequest) async throws -> HTTPClientResponse {
        var tries = 1
        while true {
            do {
                return try await HTTPClient.shared.execute(request, timeout: answerPatience)
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
