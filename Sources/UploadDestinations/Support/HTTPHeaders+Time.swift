import Foundation
import NIOHTTP1
import Uploads

extension HTTPHeaders {
    /// Tells what the server's clock showed. An answer of a cache may be old (RFC 9111, section 5.1), and says nothing.
    func tellTime() {
        ClockWitnesses.shared.noteAnswer {
            contains(name: "Age") ? nil : first(name: "Date").flatMap { HTTPDate.parse($0, now: Date()) }
        }
    }
}
