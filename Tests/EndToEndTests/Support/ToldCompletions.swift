import Foundation
import Testing

/// The jobs that were delivered to a log delegate as completed, read from its file as it grows: after a few hundred thousand outcomes,
/// reading the whole file would take seconds.
struct ToldCompletions {
    let file: URL
    private var offset: UInt64 = 0

    init(file: URL) { self.file = file }

    /// - Returns: the jobs since the last call.
    mutating func more() throws -> Set<String> {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return [] }
        defer { try? handle.close() }
        try handle.seek(toOffset: offset)
        let data = try handle.readToEnd() ?? Data()
        guard let end = data.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        offset += UInt64(data.distance(from: data.startIndex, to: end)) + 1
        var completed: Set<String> = []
        for line in data[..<end].split(separator: UInt8(ascii: "\n")) {
            let event = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            if event["type"] as? String == "upload.completed", let job = event["subject"] as? String {
                completed.insert(job)
            }
        }
        return completed
    }
}
