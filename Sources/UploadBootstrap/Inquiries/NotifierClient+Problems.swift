import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Uploads
import UploadsAPI

/// Turns failed requests and refusals of the notifier into errors for the user.
extension NotifierClient {
    func check(_ response: HTTPClientResponse, _ data: Data) throws(ProgramError) {
        guard !(200..<300).contains(response.status.code) else { return }
        let isProblem = response.headers.first(name: "Content-Type")?.hasPrefix("application/problem+json") == true
        guard isProblem, let problem = try? WireJSON.decode(API.Problem.self, from: data) else {
            throw foreign("it answers \(response.status.code)")
        }
        let hint =
            response.status == .unauthorized ? "; \(tokenHint ?? "--token-file names the file that holds it")" : ""
        var error = ProgramError(Self.exitCode(of: response.status.code), PlainText.safe(problem.detail) + hint)
        error.matched = problem.matched
        throw error
    }

    /// - Parameter status: an HTTP status, 300 or above.
    static func exitCode(of status: UInt) -> ExitCode {
        switch status {
        case 400, 413, 415: .usage
        case 401, 403: .refused
        case 404: .noInput
        case 409: .uploadFailed
        default: .unavailable
        }
    }

    func problem(_ error: any Error) -> any Error {
        if error is ProgramError || error is CancellationError || Task.isCancelled { return error }
        if let error = error as? HTTPClientError, error == .invalidURL || error == .emptyHost {
            return ProgramError(.usage, "--api '\(address)': expected a URL such as http://127.0.0.1:9700")
        }
        return ProgramError(
            .unavailable,
            "no notifier answers at \(address) (\(Self.reason(error))); start upload-notifier, or say where it is with "
                + "--api URL, UPLOAD_API, or 'api:' or 'notifier.http:' in the configuration")
    }

    /// The error for a server that does not answer as a notifier does.
    func foreign(_ what: String) -> ProgramError {
        ProgramError(
            .unavailable,
            "\(address): \(what): this is no notifier, or a notifier of another version; check --api")
    }

    static func reason(_ error: any Error) -> String {
        guard let error = error as? HTTPClientError else { return "the connection failed" }
        switch error {
        case .connectTimeout, .deadlineExceeded, .readTimeout, .writeTimeout: return "no answer in time"
        case .remoteConnectionClosed: return "the connection was closed"
        default: return error.shortDescription
        }
    }
}
