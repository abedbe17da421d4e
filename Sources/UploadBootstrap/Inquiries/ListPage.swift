/// Reads any of the API's lists (`API.JobPage`, `API.QueueList` and so on): the items under one name, and the place of
/// the next page under `next`.
struct ListPage<Item: Decodable>: Decodable {
    var items: [Item]
    /// nil on the last page.
    var next: String?

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let nextKey = Key(stringValue: "next")
        // Beside the list there may be other fields, such as the length of a serial line.
        let keys = container.allKeys.filter { $0.stringValue != nextKey.stringValue }
        guard let key = keys.first(where: { (try? container.nestedUnkeyedContainer(forKey: $0)) != nil }) else {
            throw DecodingError.valueNotFound(
                [Item].self, .init(codingPath: decoder.codingPath, debugDescription: "there is no list"))
        }
        items = try container.decode([Item].self, forKey: key)
        if let number = try? container.decodeIfPresent(Int64.self, forKey: nextKey) {
            next = String(number)
        } else {
            next = try container.decodeIfPresent(String.self, forKey: nextKey)
        }
    }
}
