import Foundation
import NIOHTTP1
import Uploads

/// Headers about an upload in an answer. An invalid header counts as missing (draft -11, "State").
extension HTTPReply {
    /// `Upload-Offset`, in bytes.
    var uploadOffset: Int64? { natural("upload-offset") }

    /// `Upload-Length`, in bytes.
    var uploadLength: Int64? { natural("upload-length") }

    /// Whether the upload is complete, by the header of any draft: swift-nio-extras 1.35 ends uploads of version 5 and 6 with
    /// `Upload-Incomplete: ?0`, and those of version 3 with `Upload-Complete: ?1`.
    var isUploadComplete: Bool? {
        if case .boolean(let value)? = header("upload-complete").flatMap(StructuredField.item) { return value }
        if case .boolean(let value)? = header("upload-incomplete").flatMap(StructuredField.item) { return !value }
        return nil
    }

    /// The version that the server announces, if this driver knows it.
    var uploadInterop: ResumableInterop? {
        natural("upload-draft-interop-version").flatMap { Int(exactly: $0) }.flatMap(ResumableInterop.init(rawValue:))
    }

    /// Whether only a server that supports resumable uploads can have sent this answer.
    var speaksOfUploads: Bool {
        [
            "upload-offset", "upload-complete", "upload-incomplete", "upload-limit", "upload-length",
            "upload-draft-interop-version",
        ].contains { header($0) != nil }
    }

    /// The last component of a problem's type ("Problem Types"; RFC 9457): `mismatching-upload-offset`, `completed-upload`,
    /// `inconsistent-upload-length`.
    var problem: String? {
        struct Problem: Decodable { var type: String? }
        guard header("content-type")?.lowercased().hasPrefix("application/problem+json") == true,
            let type = try? WireJSON.decode(Problem.self, from: body).type
        else { return nil }
        return type.split(separator: "#").last.map(String.init)
    }

    private func natural(_ name: String) -> Int64? {
        guard case .integer(let value)? = header(name).flatMap(StructuredField.item), value >= 0 else { return nil }
        return value
    }
}
