import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Uploads

extension HTTPTarget {
    /// A status that is no success: RFC 9110, section 15; RFC 6585 (428, 429, 431); RFC 8470 (425); RFC 4918 (423, 507).
    func failure(_ response: ServerResponse) -> UploadError {
        let (code, remedy, retry) = meaning(of: response.status)
        let asked = HTTPAnswer.retryAfter(response.headers["retry-after"])
        return UploadError(
            code, "\(displayURL) answered \(response.status): \(remedy)",
            retry: retry == .never ? .never : asked.map { .after(seconds: $0) } ?? retry, response: response)
    }

    private func meaning(of status: Int) -> (UploadError.Code, String, UploadError.Retry) {
        switch status {
        case 300..<400: (.rejected, "redirects are not followed with a body; use the final URL", .never)
        case 401: (.notAuthenticated, "it wants credentials; add them to the destination's headers", .never)
        case 403 where isPresigned:
            (.accessDenied, "the URL's signature has expired or is wrong; issue a new URL", .never)
        case 403: (.accessDenied, "the credentials are not good for this; check their rights", .never)
        case 404, 410: (.destinationNotFound, "there is no such place; check the URL", .never)
        case 405, 501: (.rejected, "it takes no PUT there; check the URL and the destination's driver", .never)
        case 407: (.misconfigured, "a proxy wants credentials; check the proxy", .never)
        case 408: (.networkFailure, "it waited too long for the body; check the network", .afterBackoff)
        case 409: (.rejected, "what lies there conflicts; a directory may be missing", .afterBackoff)
        case 412: (.preconditionFailed, "something else lies there than was expected", .never)
        case 413: (.rejected, "the file is too large for it; raise its limit or use another destination", .never)
        case 414: (.rejected, "the URL is too long for it; use a shorter key", .never)
        case 415: (.rejected, "it does not take this content type; enqueue the file with another", .never)
        case 422: (.rejected, "it refuses the contents; its answer may say why", .never)
        case 423: (.serverFailure, "what lies there is locked", .afterBackoff)
        case 425, 429: (.rateLimited, "it asks for fewer requests; lower the destination's limits", .afterBackoff)
        case 400..<500: (.rejected, "it refuses the request; its answer may say why", .never)
        case 507: (.serverFailure, "it has no space left; free some there", .afterBackoff)
        case 500..<600: (.serverFailure, "it failed; look at the server", .afterBackoff)
        default: (.invalidResponse, "that is no status for a PUT; check the server", .afterBackoff)
        }
    }

    /// What the client threw. Its text may hold the URL, so it is a cause and never a message.
    func failure(_ error: any Error) -> UploadError {
        if let error = error as? UploadError { return error }
        let (code, reason): (UploadError.Code, String) =
            switch error {
            case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
                (
                    .misconfigured,
                    "the TLS connection to \(displayURL) could not be made, its certificate may not be trusted: add its authority as the destination's caFile, or correct the server's certificate"
                )
            case let error as HTTPClientError: reason(error)
            case let error as NIOConnectionError where error.connectionErrors.isEmpty:
                (.networkFailure, "the host of \(displayURL) has no address: check its name and the resolver")
            case let error as IOError where Self.unreachable.contains(error.errnoCode):
                (.networkFailure, "\(displayURL) cannot be reached: check that its server runs, and the network")
            case is NIOConnectionError:
                (.networkFailure, "\(displayURL) cannot be reached: check that its server runs, and the network")
            case is SocketAddressError:
                (.networkFailure, "the host of \(displayURL) has no address: check its name and the resolver")
            default:
                (.networkFailure, "the connection to \(displayURL) was lost: check the network and the server")
            }
        return UploadError(code, reason, retry: .afterBackoff, cause: error)
    }

    /// connect(2)
    private static let unreachable: Set<CInt> = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, ETIMEDOUT]

    private func reason(_ error: HTTPClientError) -> (UploadError.Code, String) {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            (.networkFailure, "\(displayURL) could not be reached in time: check that its server runs, and the network")
        case .remoteConnectionClosed, .uncleanShutdown:
            (.networkFailure, "\(displayURL) closed the connection before it answered: look at the server")
        case .readTimeout, .writeTimeout, .deadlineExceeded:
            (.networkFailure, "\(displayURL) was silent for too long: check the network and the server")
        case .bodyLengthMismatch:
            (.sourceChanged, "the source of \(displayURL) has not the size that the job says: enqueue it again")
        default:
            (.networkFailure, "the request to \(displayURL) failed (\(error.shortDescription)): check URL and server")
        }
    }

    func failure(source error: any Error) -> UploadError {
        UploadError(.invalidFile, "the source of \(displayURL) cannot be read", cause: error)
    }
}
