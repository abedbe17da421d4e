import Foundation
import Uploads

/// A text in an answer in JSON that can be shown, such as an address.
enum HTTPAnswerPath {
    /// Most bytes of what is found.
    private static let textBytesMaximum = 4096

    /// - Returns: the text that lies there; nil when there is none.
    static func text(_ path: String, in body: Data) -> String? {
        guard let text = JSONValue(json: body).flatMap(JSONPath(path).value)?.string,
            !text.isEmpty, text.utf8.count <= textBytesMaximum,
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        return text
    }
}
