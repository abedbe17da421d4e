import Foundation
import Uploads

/// Finds a text in a JSON answer that can be shown, such as an address.
enum HTTPAnswerPath {
    /// The most bytes of the text.
    private static let textBytesMaximum = 4096

    /// - Returns: the text at the path; nil when there is none.
    static func text(_ path: String, in body: Data) -> String? {
        guard let text = JSONValue(json: body).flatMap(JSONPath(path).value)?.string,
            !text.isEmpty, text.utf8.count <= textBytesMaximum,
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        return text
    }
}
