extension DestinationReference {
    /// One object as people write it: `photos:2026/11/cat.jpg`, or a URL with the scheme `https`, `http` or `file`.
    /// - Throws: `misconfigured` for a text that names none, with what to write instead.
    public init(_ text: String) throws(UploadError) {
        let shown = Self.redact(text)
        if let scheme = text.firstRange(of: "://").map({ text[..<$0.lowerBound].lowercased() }) {
            guard ["https", "http", "file"].contains(scheme) else {
                throw UploadError(
                    .misconfigured,
                    "\(shown): no destination has the scheme '\(scheme)'; use https://, http:// or file:///, or NAME:KEY"
                )
            }
            self = .url(text)
            return
        }
        guard let colon = text.firstIndex(of: ":"), !text.hasSuffix(":"), !text.hasSuffix("/") else {
            throw UploadError(.misconfigured, "\(shown) names no object: expected NAME:KEY or a URL")
        }
        self = .named(
            try DestinationName(String(text[..<colon])), key: String(text[text.index(after: colon)...]))
    }
}
