/// The id of an event or an outcome as a row has it. Most ids begin with the id of their job (`UploadEvent.id`), which the row has as a
/// number.
enum RowEventID {
    /// - Returns: what follows the job's id in the id, or `=` and the id if it begins otherwise.
    static func stored(_ id: String, of job: String) -> String {
        let text = Array(id.utf8)
        guard text.starts(with: job.utf8), text.count > job.utf8.count, text[job.utf8.count] != UInt8(ascii: "=") else {
            return "=\(id)"
        }
        return String(decoding: text[job.utf8.count...], as: UTF8.self)
    }

    static func id(_ stored: String, of job: String) -> String {
        stored.utf8.first == UInt8(ascii: "=") ? String(stored.dropFirst()) : job + stored
    }
}
