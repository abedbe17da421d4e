extension ValueKind {
    /// The kind and its range in the page *Configuration*, as Markdown: `duration, 1s to 5m`.
    var notation: String {
        switch self {
        case .text: "text"
        case .name: "name"
        case .path: "path"
        case .url(let schemes): "URL, " + Self.alternatives(schemes.map { "\($0)://" })
        case .pathOrURL(let schemes): "path, or " + Self.url(schemes: schemes).notation
        case .staging: "path, `NAME:PREFIX/` or `\(StagingPlace.word)`"
        case .secret: "secret"
        case .address: "address"
        case .choice(let words): Self.alternatives(words)
        case .integer(let range): "number, \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "`true` or `false`"
        case .duration(let range):
            "duration, \(Quantity.text(seconds: range.lowerBound)) to \(Quantity.text(seconds: range.upperBound))"
        case .durationOrOff(let range): Self.duration(range).notation + ", or `off`"
        case .bytes(let range):
            "size, \(Quantity.notation(bytes: range.lowerBound)) to \(Quantity.notation(bytes: range.upperBound))"
        case .list(let kind): "list: \(kind.notation)"
        }
    }

    private static func alternatives(_ words: [String]) -> String {
        let codes = words.map { "`\($0)`" }
        guard let last = codes.last, codes.count > 1 else { return codes.joined() }
        return codes.dropLast().joined(separator: ", ") + " or " + last
    }
}
