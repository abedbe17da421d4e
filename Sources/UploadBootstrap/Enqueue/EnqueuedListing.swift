import Uploads

/// A job as `--json` shows it: one object a line.
struct EnqueuedListing: Encodable {
    let id: JobID
    /// The path, as the user named it; where it is not UTF-8, its text (``FilePath``).
    let source: String
    /// Without the query of a URL.
    let destination: String
    /// Bytes.
    let size: Int64
    /// With `--wait`, how it ended; left out while it is not known.
    let event: UploadEvent?

    init(_ upload: PlannedUpload, id: JobID, size: Int64, event: UploadEvent? = nil) {
        self.id = id
        source = upload.path.description
        destination = upload.destination.displayText
        self.size = size
        self.event = event
    }

    var text: String { (try? WireJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }
}
