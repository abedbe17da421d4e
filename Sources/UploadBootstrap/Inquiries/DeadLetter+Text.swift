import UploadsAPI

extension API.DeadLetter {
    /// All fields but those of the first line, for people.
    func facts(_ time: LocalTime) -> [(name: String, value: String)] {
        let replayed = replayedAt.map { "\(time.text($0)) by \(replayedBy ?? "an unknown operator")" }
        let all: [(String, String?)] = [
            ("type", type), ("content type", contentType), ("job", job), ("came from", origin),
            ("headers", headers.isEmpty ? nil : headers.joined(separator: ", ")),
            ("replay of", replayOf.map { "dead letter \($0), which came back as this one" }),
            ("published again", replayed), ("kept", isWhole ? nil : "only its beginning"),
            ("body", bodyEncoding == "hex" ? "is no text; it begins with" : nil),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}
