import Crypto
import Foundation
import Uploads

/// The bytes of a form before and after the file, so that the length of the body is known before it is sent.
///
/// Names are escaped as browsers do (HTML, "Multipart form data"): a quote becomes `%22`, a line break `%0D` or `%0A`; everything else
/// goes as UTF-8 (RFC 7578, section 5.1). Values are not escaped.
struct HTTPFormBody: Hashable, Sendable {
    let head: [UInt8]
    let tail: [UInt8]
    let contentType: String

    /// - Parameter seed: the boundary is derived from it, so that the attempts of a request that must stay the same send the same bytes;
    ///   nil for a random boundary.
    /// - Throws: `rejected` when a job lacks a value that the file's name needs.
    init(_ form: HTTPForm, _ job: UploadJob, seed: String? = nil) throws(UploadError) {
        var values = form.fields.compactMapValues { $0.text(for: job) }
        values.merge(form.secretFields) { $1 }
        let fields = values.sorted { $0.key < $1.key }
        let name = try form.filename.needed(for: job)
        let texts = fields.flatMap { [$0.key, $0.value] } + [name, form.file, job.contentType]
        var boundary: String
        var round = 0
        repeat {
            boundary = "longshore-" + Self.token(seed.map { "\($0) \(round)" } ?? "\(UUID()) \(UUID())")
            round += 1
        } while texts.contains { $0.contains(boundary) }
        var text = ""
        for (name, value) in fields {
            text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escape(name))\"\r\n\r\n\(value)\r\n"
        }
        text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escape(form.file))\"; "
        text += "filename=\"\(Self.escape(name))\"\r\nContent-Type: \(Self.line(job.contentType))\r\n\r\n"
        head = Array(text.utf8)
        tail = Array("\r\n--\(boundary)--\r\n".utf8)
        contentType = "multipart/form-data; boundary=\(boundary)"
    }

    /// 32 hexadecimal digits.
    private static func token(_ seed: String) -> String {
        String(Hexadecimal.text(of: Data(SHA256.hash(data: Data(seed.utf8)))).prefix(32))
    }

    private static func escape(_ name: String) -> String {
        // By scalars: to Swift, CR LF is one character.
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Removes line breaks, so that a text cannot begin another line.
    private static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }))
    }
}
