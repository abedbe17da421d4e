import Foundation
import Uploads
import XMLCoder

extension HTTPReply {
    /// The body as XML. Some servers first send white space to keep the connection alive.
    /// - Throws: `invalidResponse` when the body broke off, is too long, or is not such a document.
    func xml<Value: S3Document>(_ type: Value.Type, of operation: String) throws(UploadError) -> Value {
        guard isWhole else {
            throw UploadError(
                .invalidResponse, "the answer to \(operation) broke off: the network or the server failed",
                response: response)
        }
        do {
            guard String(decoding: trimmed.prefix(Self.rootBytesMaximum), as: UTF8.self).contains(type.root) else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "it is no \(type.root)"))
            }
            return try XMLDecoder().decode(type, from: trimmed)
        } catch {
            throw UploadError(
                .invalidResponse,
                "the answer to \(operation) is no document of S3\(beginning): check that the endpoint speaks S3, and proxies before it",
                cause: error, response: response)
        }
    }

    /// The root has to occur within this many bytes of a document.
    private static var rootBytesMaximum: Int { 1024 }

    /// The beginning of the body, to be appended to a sentence; empty where there is no body.
    var beginning: String {
        let words = String(decoding: trimmed.prefix(300), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? "" : " (it begins: \(words.joined(separator: " ").prefix(120)))"
    }

    /// Whether the body is an HTML page, for example from a proxy or a login page before the server.
    var isPage: Bool {
        let start = String(decoding: trimmed.prefix(Self.rootBytesMaximum), as: UTF8.self).lowercased()
        return start.hasPrefix("<") && (start.contains("<!doctype html") || start.contains("<html"))
    }

    /// Whether the body may be a document of S3.
    var isXML: Bool { trimmed.first == UInt8(ascii: "<") && !isPage }

    /// The error for a success that lacks a part which every answer of S3 has: something else may have answered. The worker has to find
    /// out what became of the request before it repeats it, so the retry is not within the seconds in which a part is repeated.
    /// - Parameter request: its operation and place.
    func unbelievable(_ request: String, without lack: String = "an ETag") -> UploadError {
        UploadError(
            .invalidResponse,
            "\(request) was answered \(status) \(isPage ? "with a page for people" : "without \(lack)")\(beginning), which is no answer of S3: check the endpoint, and proxies before it",
            retry: .after(seconds: 5), response: response)
    }

    /// The ETag, where the answer has one.
    var givenETag: String? { header("etag").flatMap { $0.isEmpty ? nil : $0 } }

    /// The error document of the body, if it has one.
    var errorDocument: S3ErrorDocument? {
        guard !body.isEmpty, let document = try? XMLDecoder().decode(S3ErrorDocument.self, from: trimmed) else {
            return nil
        }
        return document.code == nil ? nil : document
    }

    private var trimmed: Data {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
        return Data(body.drop(while: isSpace))
    }
}
