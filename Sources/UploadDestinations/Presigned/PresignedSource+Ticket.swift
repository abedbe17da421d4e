import Foundation
import Uploads

// Reads the endpoint's answer. Its URL is a credential, so errors show nothing of the body.
extension PresignedSource {
    func ticket(_ reply: HTTPReply) throws(UploadError) -> UploadTicket {
        let paths = configuration.answer
        let json = try reply.json("the request for a URL to \(displayURL)")
        guard let json else { throw unreadable(reply, "is no JSON", "url") }
        func value(_ path: String) -> JSONValue? { JSONPath(path).value(in: json) }
        guard let url = value(paths.url)?.string, url.utf8.count <= TicketLimits.urlBytesMaximum,
            (try? TicketEndpoint.check(url)) != nil
        else { throw unreadable(reply, "has no URL under '\(paths.url)'", "answer.url") }
        let id = value(paths.id)?.scalarText
        if namesUploads {
            guard let id, !id.isEmpty, id.utf8.count <= TicketLimits.idBytesMaximum else {
                throw unreadable(reply, "has no id under '\(paths.id)'", "answer.id")
            }
        }
        return UploadTicket(
            id: namesUploads ? id : nil, url: url, expiresAt: value(paths.expires)?.time(now: Date()),
            headers: try headers(value(paths.headers), reply))
    }

    private func headers(_ value: JSONValue?, _ reply: HTTPReply) throws(UploadError) -> [String: String] {
        guard case .object(let fields)? = value else { return [:] }
        let problem = "has headers under '\(configuration.answer.headers)' that cannot be sent"
        guard fields.count <= TicketLimits.headersMaximum else { throw unreadable(reply, problem, "answer.headers") }
        var headers: [String: String] = [:]
        for (name, value) in fields {
            // The endpoint may not set the headers that decide the length of the body and the connection.
            if ["content-length", "transfer-encoding", "host", "connection"].contains(name.lowercased()) { continue }
            guard let text = value.scalarText, text.utf8.count <= TicketLimits.headerBytesMaximum, Self.isToken(name),
                text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 })
            else { throw unreadable(reply, problem, "answer.headers") }
            headers[name] = text
        }
        return headers
    }

    /// Whether a text is a token (RFC 9110, section 5.6.2).
    private static func isToken(_ name: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || marks.contains(byte)
            }
    }

    private func unreadable(_ reply: HTTPReply, _ problem: String, _ key: String) -> UploadError {
        UploadError(
            .invalidResponse,
            "the answer of \(displayURL) \(problem): look at the endpoint, or correct the destination's \(key)",
            retry: .never, response: endpoint.bare(reply))
    }
}
