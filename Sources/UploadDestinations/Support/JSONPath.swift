import Foundation
import Uploads

/// The path of a value in a JSON answer: names separated by dots, numbers for places in arrays, as in `data.uploads.0.url`.
struct JSONPath: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// - Returns: nil for a value that is missing or null.
    func value(in json: JSONValue) -> JSONValue? {
        var value = json
        for name in text.split(separator: ".") {
            switch value {
            case .object(let fields):
                guard let field = fields[String(name)] else { return nil }
                value = field
            case .array(let elements):
                guard let index = Int(name), elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value == .null ? nil : value
    }
}

extension JSONValue {
    init?(json data: Data) {
        guard let value = try? WireJSON.decode(JSONValue.self, from: data) else { return nil }
        self = value
    }

    /// A text, or a number as text: ids may be either.
    var scalarText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }

    /// A time: a text by RFC 3339, or a number of seconds or milliseconds since 1970; small numbers count from now.
    func time(now: Date) -> Date? {
        let number: Double
        switch self {
        case .string(let text):
            if let date = WireJSON.date(text) { return date }
            guard let seconds = Double(text) else { return nil }
            number = seconds
        case .integer(let seconds): number = Double(seconds)
        case .number(let seconds): number = seconds
        default: return nil
        }
        // Beyond the year 9999, in milliseconds.
        guard number >= 0, number < 253_402_300_800_000 else { return nil }
        // No URL is valid for thirty years, and none was made before 2001.
        if number < 1e9 { return now + number }
        return Date(timeIntervalSince1970: number < 1e11 ? number : number / 1000)
    }
}
