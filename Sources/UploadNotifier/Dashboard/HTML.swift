/// A piece of HTML. Literal text is taken unchanged; interpolated values are escaped, unless they are HTML themselves.
///
/// Escaped text is right between tags and in attributes in double quotes, and nowhere else.
struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: String) { text += HTML.escape(value) }
        mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }
        mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }
        mutating func appendInterpolation(_ list: [HTML]) { for html in list { text += html.text } }

        /// A name that people chose: its text direction is isolated from its surroundings, and it may be broken behind
        /// a slash.
        mutating func appendInterpolation(name: String) {
            text += "<bdi>\(HTML.escape(name).replacing("/", with: "/<wbr>"))</bdi>"
        }
    }

    /// Hidden fields of a form, of one name.
    static func hidden(_ name: String, _ values: [String]) -> HTML {
        "\(values.map { value -> HTML in "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">" })"
    }

    /// Text with HTML's special characters escaped, and without invisible characters that change the text direction:
    /// with them one name could look like another.
    static func escape(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(isHidden(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return escaped
    }

    /// Controls, line and paragraph separators, and marks, embeddings, overrides and isolates of direction.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
