import Foundation
import Hummingbird
import Uploads

/// What a handler answers.
struct APIAnswer: Sendable {
    private let response: @Sendable () throws -> Response

    init(_ response: @escaping @Sendable () throws -> Response) { self.response = response }

    static func json(_ value: some Encodable & Sendable, status: HTTPResponse.Status = .ok) -> APIAnswer {
        APIAnswer {
            Self.response(try WireJSON.encode(value), type: "application/json", status: status)
        }
    }

    /// What was made lies at a path.
    static func created(_ value: some Encodable & Sendable, at path: String) -> APIAnswer {
        APIAnswer {
            var response = Self.response(try WireJSON.encode(value), type: "application/json", status: .created)
            response.headers[.location] = path
            return response
        }
    }

    static func text(_ text: String, type: String) -> APIAnswer {
        APIAnswer { Self.response(Data(text.utf8), type: type, status: .ok) }
    }

    /// Written as it comes.
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
