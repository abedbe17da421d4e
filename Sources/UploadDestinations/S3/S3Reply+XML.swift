import Foundation
import Uploads
import XMLCoder

extension HTTPReply {
    /// The body as XML. Some servers send white space first, to keep the connection alive.
    /// - Throws: `invalidResponse` when it broke off, is too long, or is no such document.
    func xml<Value: Decodable>(_ type: Value.Type, of operation: String) throws(UploadError) -> Value {
        guard isWhole else {
            throw UploadError(
                .invalidResponse, "the answer to \(operation) broke off: the network or the server failed",
                response: response)
        }
        do {
            return try XMLDecoder().decode(type, from: trimmed)
        } catch {
            throw UploadError(
                .invalidResponse, "the answer to \(operation) is no document of S3: check that the endpoint speaks S3",
                cause: error, response: response)
        }
    }

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
