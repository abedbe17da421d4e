public import Uploads

/// A form as browsers send it, with the file as one of its parts (`multipart/form-data`, RFC 7578).
public struct HTTPForm: Hashable, Sendable {
    /// The name of the file's part.
    public var file: String
    /// The file's name in the form; `{name}` by default.
    public var filename: JobTemplate
    /// Further fields, sent before the file in the order of their names. A field whose template names a value that the job lacks is left out.
    public var fields: [String: JobTemplate]
    /// Further fields whose values are secret: they are never shown, even where the server repeats them.
    public var secretFields: [String: String]

    /// - Throws: never with the default `filename`.
    public init(
        file: String, filename: JobTemplate? = nil, fields: [String: JobTemplate] = [:],
        secretFields: [String: String] = [:]
    ) throws(UploadError) {
        self.file = file
        self.filename = if let filename { filename } else { try JobTemplate("{name}") }
        self.fields = fields
        self.secretFields = secretFields
    }
}
