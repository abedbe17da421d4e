import Foundation
import Testing

/// The page *Wire format* against the schemas.
@Suite struct WireFormatTests {
    let repository = Repository()

    @Test func `the page names the kinds and the fields of an event that the schema has`() throws {
        let page = try String(
            contentsOf: repository.root.appending(path: "Sources/Uploads/Uploads.docc/WireFormat.md"), encoding: .utf8)
        let file = repository.root.appending(path: "Sources/UploadsRabbitMQ/Schemas/upload.event.v1.schema.json")
        let schema = try #require(
            try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])

        let fields = try #require(properties["data"]?["properties"] as? [String: Any]).keys.sorted()
        let table = page.split(separator: "\n").drop { !$0.hasPrefix("| field of an event |") }
            .prefix { $0.hasPrefix("|") }
        #expect(table.compactMap { $0.firstMatch(of: /^\| `(\w+)`/).map { String($0.1) } }.sorted() == fields)

        let types = try #require(properties["type"]?["enum"] as? [String]).map { String($0.trimmingPrefix("upload.")) }
        let kinds = try #require(page.firstMatch(of: /`type` is `upload.` and one of `([\w\s]+)`/))
        #expect(kinds.1.split(whereSeparator: \.isWhitespace).map(String.init).sorted() == types.sorted())
    }
}
