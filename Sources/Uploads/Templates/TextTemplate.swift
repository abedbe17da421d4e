/// A text with placeholders in braces, as in `{date}/{name}`. A literal brace is doubled: `{{`, `}}`.
public struct TextTemplate: Hashable, Sendable {
    private enum Piece: Hashable {
        case text(String)
        case placeholder(String)
    }

    private let pieces: [Piece]

    /// - Throws: `misconfigured` for an unmatched brace, or a pair with nothing between.
    public init(_ text: String) throws(UploadError) {
        var pieces: [Piece] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "{" || character == "}" else {
                literal.append(character)
                continue
            }
            if rest.first == character {
                literal.append(character)
                rest.removeFirst()
                continue
            }
            guard character == "{", let end = rest.firstIndex(of: "}"), end > rest.startIndex else {
                throw UploadError(
                    .misconfigured,
                    "'\(text)': a placeholder stands in braces, as in {name}; write a literal brace twice")
            }
            if !literal.isEmpty { pieces.append(.text(literal)) }
            literal = ""
            pieces.append(.placeholder(String(rest[..<end])))
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
        self.pieces = pieces
    }

    /// The names in braces, in order.
    public var placeholders: [String] {
        pieces.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    /// The text before the first placeholder.
    public var leadingText: String {
        var text = ""
        for case .text(let literal) in pieces.prefix(while: { if case .text = $0 { true } else { false } }) {
            text += literal
        }
        return text
    }

    /// The template with a value in the place of each placeholder that has one.
    public func filling(_ value: (String) -> String?) -> TextTemplate {
        TextTemplate(
            pieces: pieces.map { piece in
                guard case .placeholder(let name) = piece, let value = value(name) else { return piece }
                return .text(value)
            })
    }

    /// The template with a text behind it.
    public func appending(_ text: String) -> TextTemplate { TextTemplate(pieces: pieces + [.text(text)]) }

    private init(pieces: [Piece]) { self.pieces = pieces }

    /// The text with a value for each placeholder.
    /// - Returns: nil when one has no value.
    public func filled(_ value: (String) throws -> String?) rethrows -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let literal): text += literal
            case .placeholder(let name):
                guard let value = try value(name) else { return nil }
                text += value
            }
        }
        return text
    }
}
