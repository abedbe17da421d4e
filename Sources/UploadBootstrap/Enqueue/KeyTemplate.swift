import Uploads

/// The key of a DEST with placeholders: `{date}/{stem}-{sha256}.{ext}`.
///
/// | placeholder | value |
/// |---|---|
/// | `{path}` | the file's path below the directory that was named; its name otherwise |
/// | `{name}` `{stem}` `{ext}` | its last component, the same without its extension, the extension without its dot |
/// | `{date}` | today, as 2026-11-22 (UTC) |
/// | `{sha256}` | of the bytes, in hexadecimal |
/// | `{metadata.x}` | the upload's metadata under `x` |
struct KeyTemplate: Hashable {
    private static let fileNames: Set<String> = ["ext", "name", "path", "sha256", "stem"]

    private let template: TextTemplate

    /// - Throws: `misconfigured` for an unknown placeholder.
    init(_ text: String) throws(UploadError) {
        template = try TextTemplate(text)
        for name in template.placeholders where !Self.fileNames.contains(name) && name != "date" {
            guard Self.metadataName(name) != nil else {
                let known = (["date"] + Self.fileNames.sorted() + ["metadata.x"]).map { "{\($0)}" }
                throw UploadError(
                    .misconfigured,
                    "there is no placeholder {\(name)}; there are \(known.joined(separator: ", ")); write a brace that begins no "
                        + "placeholder twice")
            }
        }
    }

    /// Whether each file has a key of its own.
    var variesByFile: Bool { !Self.fileNames.isDisjoint(with: template.placeholders) }

    /// Whether the key depends on the file's bytes.
    var needsDigest: Bool { template.placeholders.contains("sha256") }

    /// The text before the first placeholder that depends on the file.
    func leadingText(day: String) -> String { template.filling { $0 == "date" ? day : nil }.leadingText }

    /// Fills in all placeholders except `{sha256}`, which needs the file's bytes.
    /// - Parameters:
    ///   - path: the file's path below the directory that was named; empty for a source without a name.
    ///   - day: today, as in 2026-11-22.
    /// - Throws: `rejected` for a placeholder whose value the file does not have.
    func filled(path: String, metadata: [String: String], day: String) throws(UploadError) -> TextTemplate {
        let file = FileName(path: path)
        let filled = template.filling { name in
            switch name {
            case "date": return day
            case "ext": return path.isEmpty ? nil : file.ext
            case "name": return path.isEmpty ? nil : file.name
            case "path": return path.isEmpty ? nil : path
            case "stem": return path.isEmpty ? nil : file.stem
            default: return Self.metadataName(name).flatMap { metadata[String($0)] }
            }
        }
        if let missing = filled.placeholders.first(where: { $0 != "sha256" }) {
            let remedy =
                Self.metadataName(missing).map { "give it with --metadata \($0)=…" }
                ?? "it has no name; give --to a key without it"
            throw UploadError(.rejected, "--to names {\(missing)}, which it does not have: \(remedy)")
        }
        return filled
    }

    private static func metadataName(_ name: String) -> Substring? {
        name.hasPrefix("metadata.") && name.count > 9 ? name.dropFirst(9) : nil
    }
}
