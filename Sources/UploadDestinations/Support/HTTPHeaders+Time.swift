import Foundation
import NIOHTTP1
import Uploads

extension HTTPHeaders {
    /// Reports the server's clock, by the `Date` header. An answer from a cache may be old (RFC 9111, section 5.1), so its time does not count.
    func tellTime() {
        ClockWitnesses.shared.noteAnswer {
            contains(name: "Age") ? nil : first(name: "Date").flatMap { HTTPDate.parse($0, now: Date()) }
        }
    }
}
