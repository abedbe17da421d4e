import Hummingbird
import Uploads

/// The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
enum IdempotencyKey {
    static let header = "Idempotency-Key"

    /// - Returns: nil if the request has no such header.
    static func of(_ headers: HTTPFields) throws(APIProblem) -> String? {
        guard let name = HTTPFields.Element.Name(header) else { return nil }
        let values = headers[values: name]
        guard let value = values.first else { return nil }
        guard values.count == 1 else { throw .invalid("the header \(header) is there more than once") }
        guard let key = text(of: value), UploadJob.problem(label: key) == nil else {
            throw .invalid(
                "the header \(header) is 1 to \(UploadJob.labelCharactersMaximum) characters of printable ASCII, in double "
                    + "quotes or without them")
        }
        return key
    }

    /// The draft wants a string in double quotes (RFC 9651, section 3.3.3); many clients send the bare text, which is
    /// taken as it is.
    static func text(of value: String) -> String? {
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        guard value.hasPrefix("\"") else { return value }
        var text = ""
        var isEscaped = false
        for (index, character) in value.enumerated().dropFirst() {
            if isEscaped {
                guard character == "\"" || character == "\\" else { return nil }
                text.append(character)
                isEscaped = false
            } else if character == "\"" {
                return index == value.count - 1 ? text : nil
            } else if character == "\\" {
                isEscaped = true
            } else {
                text.append(character)
            }
        }
        return nil
    }
}
