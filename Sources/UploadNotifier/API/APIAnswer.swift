import Foundation
import Hummingbird
import Uploads

/// The answer of a handler, not yet encoded.
struct APIAnswer: Sendable {
    private let response: @Sendable () throws -> Response

    init(_ response: @escaping @Sendable () throws -> Response) { self.response = response }

    static func json(_ value: some Encodable & Sendable, status: HTTPResponse.Status = .ok) -> APIAnswer {
        APIAnswer {
            Self.response(try WireJSON.encode(value), type: "application/json", status: status)
        }
    }

    /// - Parameters:
    ///   - path: of what the request created.
    ///   - isNew: false for what an earlier request created already: status 200 instead of 201.
    static func created(
        _ value: some Encodable & Sendable, at path: String, isNew: Bool = true
    ) -> APIAnswer {
        APIAnswer {
            var response = Self.response(
                try WireJSON.encode(value), type: "application/json", status: isNew ? .created : .ok)
            response.headers[.location] = path
            return response
        }
    }

    static func text(_ text: String, type: String) -> APIAnswer {
        APIAnswer { Self.response(Data(text.utf8), type: type, status: .ok) }
    }

    /// A body that the closure writes piece by piece.
    static func stream(
        type: String, _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> APIAnswer {
        APIAnswer {
            Response(
                status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
                body: ResponseBody { writer in
                    try await write(&writer)
                    try await writer.finish(nil)
                })
        }
    }

    func make() throws -> Response { try response() }

    private static func response(_ body: Data, type: String, status: HTTPResponse.Status) -> Response {
        Response(
            status: status,
            headers: [.contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
