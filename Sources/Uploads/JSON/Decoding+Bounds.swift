// Decodes what another program wrote within bounds: a number beyond them is refused where it is read, with the field's
// name and the range, so that no later arithmetic has to expect it.

extension KeyedDecodingContainer {
    /// - Throws: `DecodingError` unless the field is a number in the range.
    func decode<Number: FixedWidthInteger & Decodable>(
        _ range: ClosedRange<Number>, forKey key: Key
    ) throws -> Number { try check(try decode(Number.self, forKey: key), range, key) }

    /// - Returns: nil where the field is missing or null.
    /// - Throws: `DecodingError` unless the field is a number in the range.
    func decodeIfPresent<Number: FixedWidthInteger & Decodable>(
        _ range: ClosedRange<Number>, forKey key: Key
    ) throws -> Number? { try decodeIfPresent(Number.self, forKey: key).map { try check($0, range, key) } }

    /// - Throws: `DecodingError` unless the field is a number in the range.
    func decode(_ range: ClosedRange<Double>, forKey key: Key) throws -> Double {
        try check(try decode(Double.self, forKey: key), range, key)
    }

    /// - Returns: nil where the field is missing or null.
    /// - Throws: `DecodingError` unless the field is a number in the range.
    func decodeIfPresent(_ range: ClosedRange<Double>, forKey key: Key) throws -> Double? {
        try decodeIfPresent(Double.self, forKey: key).map { try check($0, range, key) }
    }

    /// - Throws: `DecodingError` unless the field is text of at most `maximum` characters (code points).
    func decodeText(atMost maximum: Int, forKey key: Key) throws -> String {
        try check(try decode(String.self, forKey: key), atMost: maximum, key)
    }

    /// - Returns: nil where the field is missing or null.
    /// - Throws: `DecodingError` unless the field is text of at most `maximum` characters (code points).
    func decodeTextIfPresent(atMost maximum: Int, forKey key: Key) throws -> String? {
        try decodeIfPresent(String.self, forKey: key).map { try check($0, atMost: maximum, key) }
    }

    /// - Returns: nil where the field is missing or null.
    /// - Throws: `DecodingError` unless the field is a list of at most `maximum` elements.
    func decodeListIfPresent<Element: Decodable>(
        of type: Element.Type, atMost maximum: Int, forKey key: Key
    ) throws -> [Element]? {
        try decodeIfPresent([Element].self, forKey: key).map { try check($0, atMost: maximum, key) }
    }

    /// - Throws: `DecodingError` unless the field is a list of at most `maximum` elements.
    func decodeList<Element: Decodable>(
        of type: Element.Type, atMost maximum: Int, forKey key: Key
    ) throws -> [Element] { try check(try decode([Element].self, forKey: key), atMost: maximum, key) }

    /// - Throws: `DecodingError` unless the field is the name of a worker: 1 to ``WorkerReport/textBytesMaximum`` characters.
    func decodeWorker(forKey key: Key) throws -> String {
        try check(worker: try decode(String.self, forKey: key), key)
    }

    /// - Throws: `DecodingError` unless the field is a list of at most `maximum` names of workers.
    func decodeWorkers(atMost maximum: Int, forKey key: Key) throws -> [String] {
        let names = try decodeList(of: String.self, atMost: maximum, forKey: key)
        return try names.map { try check(worker: $0, key) }
    }

    /// - Returns: nil where the field is missing or null.
    /// - Throws: `DecodingError` unless the field is a list of at most `maximum` names of workers.
    func decodeWorkersIfPresent(atMost maximum: Int, forKey key: Key) throws -> [String]? {
        guard try contains(key) && !decodeNil(forKey: key) else { return nil }
        return try decodeWorkers(atMost: maximum, forKey: key)
    }

    /// - Returns: nil where the field is missing or null.
    /// - Throws: `DecodingError` unless the field is an object of texts whose names and values have at most `maximum`
    ///   bytes together.
    func decodeTextsIfPresent(atMost maximum: Int, forKey key: Key) throws -> [String: String]? {
        try decodeIfPresent([String: String].self, forKey: key).map { try check($0, atMost: maximum, key) }
    }

    /// - Throws: `DecodingError` unless the field is an object of texts whose names and values have at most `maximum`
    ///   bytes together.
    func decodeTexts(atMost maximum: Int, forKey key: Key) throws -> [String: String] {
        try check(try decode([String: String].self, forKey: key), atMost: maximum, key)
    }

    private func check(_ texts: [String: String], atMost maximum: Int, _ key: Key) throws -> [String: String] {
        let bytes = texts.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= maximum else {
            throw refusal("\(bytes) bytes are too many: at most \(maximum) are allowed", key)
        }
        return texts
    }

    private func check<Number: Comparable>(_ number: Number, _ range: ClosedRange<Number>, _ key: Key) throws -> Number
    {
        guard range.contains(number) else {
            throw refusal("\(number) is not in the range from \(range.lowerBound) to \(range.upperBound)", key)
        }
        return number
    }

    private func check(_ text: String, atMost maximum: Int, _ key: Key) throws -> String {
        guard text.utf8.count <= maximum || text.unicodeScalars.count <= maximum else {
            throw refusal("its text has more than \(maximum) characters", key)
        }
        return text
    }

    private func check(worker name: String, _ key: Key) throws -> String {
        guard !name.isEmpty else { throw refusal("a worker has a name", key) }
        return try check(name, atMost: WorkerReport.textBytesMaximum, key)
    }

    private func check<Element>(_ list: [Element], atMost maximum: Int, _ key: Key) throws -> [Element] {
        guard list.count <= maximum else {
            throw refusal("\(list.count) elements are too many: at most \(maximum) are allowed", key)
        }
        return list
    }

    private func refusal(_ why: String, _ key: Key) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: why)
    }
}
