import Foundation
import Testing

@testable import Uploads

@Suite struct NameTests {
    @Test(arguments: ["a", "default", "video-2026_x", String(repeating: "z", count: 64)])
    func `a name of the allowed characters is one`(text: String) throws {
        #expect(try QueueName(text).rawValue == text)
        #expect(try DestinationName(text).description == text)
    }

    @Test(arguments: ["", "A", "a.b", "a b", "a*", "#", "ä", "a/b", "a\n", String(repeating: "z", count: 65)])
    func `anything else is refused with its remedy`(text: String) {
        let error = #expect(throws: UploadError.self) { try QueueName(text) }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("1 to 64") == true)
        #expect(throws: DecodingError.self) {
            try WireJSON.decode([QueueName].self, from: WireJSON.encode([text]))
        }
    }
}
