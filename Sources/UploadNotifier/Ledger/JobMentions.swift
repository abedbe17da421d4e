import Foundation
import Uploads

/// Finds ids of jobs in bytes of any format.
enum JobMentions {
    private static let length = 36
    private static let dashes = [8, 13, 18, 23]

    /// Whether the bytes hold the id of one of the jobs, in upper or lower case.
    static func any(of jobs: Set<JobID>, in data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            guard bytes.count >= length else { return false }
            var start = 0
            while start + length <= bytes.count {
                if dashes.allSatisfy({ bytes[start + $0] == UInt8(ascii: "-") }),
                    let id = JobID(String(decoding: bytes[start..<start + length], as: UTF8.self)), jobs.contains(id)
                {
                    return true
                }
                start += 1
            }
            return false
        }
    }
}
