public import Uploads

/// A form as browsers send it, with the file as one of its parts (`multipart/form-data`, RFC 7578).
public struct HTTPForm: Hashable, Sendable {
    /// The name of the file's part.
    public var file: String
    /// What the file is called in it; `{name}` if nothing else is said.
    public var filename: JobTemplate
    /// Further fields, sent before the file in the order of their names. One whose template names what a job lacks is left out of it.
    public var fields: [String: JobTemplate]
    /// The same, with values that are never shown, wherever the server repeats them.
    public var secretFields: [String: String]

    /// - Throws: never with what is usual for the file's name.
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
