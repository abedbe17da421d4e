extension DestinationReference {
    /// One object as people write it: `photos:2026/11/cat.jpg`, or a URL with the scheme `https`, `http` or `file`.
    /// - Throws: `misconfigured` for a text that names no object, with what to write instead.
    public init(_ text: String) throws(UploadError) {
        let shown = Self.redact(text)
        if let scheme = text.urlScheme {
            guard ["https", "http", "file"].contains(scheme) else {
                throw UploadError(
                    .misconfigured,
                    "\(shown): no destination has the scheme '\(scheme)'; use https://, http:// or file:///, or NAME:KEY"
                )
            }
            self = .url(text)
            return
        }
        let name = text.bytePrefix(upTo: ":")
        let key = text.dropping(bytes: name.utf8.count + 1)
        guard !key.isEmpty, !key.hasByteSuffix("/") else {
            throw UploadError(.misconfigured, "\(shown) names no object: expected NAME:KEY or a URL")
        }
        self = .named(try DestinationName(name), key: key)
    }
}
