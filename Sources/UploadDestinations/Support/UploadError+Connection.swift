import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Uploads

extension UploadError {
    /// The error for anything that the client threw. The client's text may contain the URL, so it becomes the cause and
    /// is never part of the message.
    init(connection error: any Error, to displayURL: String) {
        if let error = error as? UploadError {
            self = error
            return
        }
        if let idle = error as? IdleConnectionClosed {
            let error = UploadError(connection: idle.cause, to: displayURL)
            self.init(error.code, error.message, retry: error.retry, cause: idle)
            return
        }
        let (code, reason): (UploadError.Code, String) =
            switch error {
            case let error as NIOSSLExtraError where error == .failedToValidateHostname:
                (
                    .misconfigured,
                    "the certificate of \(displayURL) is for another name: use the name that it is for, or correct the server's certificate"
                )
            // The server closed the connection without TLS's closing message, which does not concern certificates.
            case NIOSSLError.uncleanShutdown:
                (.networkFailure, "the connection to \(displayURL) was lost: check the network and the server")
            case let error where Self.isTLS(error):
                (
                    .misconfigured,
                    "the TLS connection to \(displayURL) could not be made, its certificate may not be trusted: add its authority as the destination's caFile, correct the server's certificate, or give the destination the certificateFile and keyFile that the server asks for"
                )
            case let error as HTTPClientError: Self.reason(error, displayURL)
            case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection:
                (.networkFailure, "the connection to \(displayURL) was lost: check the network and the server")
            case let error as HTTPParserError:
                (
                    .invalidResponse,
                    "\(displayURL) answered something other than HTTP/1.1 (\(error)): look at the server, and at proxies before it"
                )
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
        // A server that answers something other than HTTP may have carried out the request: it is not repeated within an attempt.
        self.init(code, reason, retry: code == .invalidResponse ? .after(seconds: 5) : .afterBackoff, cause: error)
    }

    /// Also covers a connection that could not be made because certificate and key do not belong together.
    private static func isTLS(_ error: any Error) -> Bool {
        if let error = error as? NIOConnectionError { return error.connectionErrors.contains { isTLS($0.error) } }
        return error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError
    }

    /// connect(2)
    private static let unreachable: Set<CInt> = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, ETIMEDOUT]

    private static func reason(_ error: HTTPClientError, _ displayURL: String) -> (UploadError.Code, String) {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            (.networkFailure, "\(displayURL) could not be reached in time: check that its server runs, and the network")
        case .remoteConnectionClosed, .uncleanShutdown:
            (.networkFailure, "\(displayURL) closed the connection before it answered: look at the server")
        case .readTimeout, .writeTimeout, .deadlineExceeded:
            (.networkFailure, "\(displayURL) was silent for too long: check the network and the server")
        case .bodyLengthMismatch: (.sourceChanged, Self.sizeProblem(displayURL))
        default:
            (.networkFailure, "the request to \(displayURL) failed (\(error.shortDescription)): check URL and server")
        }
    }

    /// The error of a source that does not have as many bytes as the job says.
    init(sizeOf displayURL: String) { self.init(.sourceChanged, Self.sizeProblem(displayURL)) }

    private static func sizeProblem(_ displayURL: String) -> String {
        "the source of \(displayURL) has not the size that the job says: enqueue it again"
    }

    /// The error of a source that threw anything but an `UploadError`.
    init(source error: any Error, of displayURL: String) {
        self.init(.invalidFile, "the source of \(displayURL) cannot be read", cause: error)
    }
}
