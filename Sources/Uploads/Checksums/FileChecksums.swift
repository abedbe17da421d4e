/// The checksums of the stretches of a file that have been read. Stretches that touch become one, so that a file that is read in order has
/// few of them, however large it is.
public struct FileChecksums: Hashable, Sendable {
    /// The most stretches that a message carries: the bytes of the others are read again.
    public static let stretchesMaximum = 64

    /// JSON: `{"from": 0, "to": 8388608, "crc64nvme": "…"}`, with its first byte and the byte behind its last.
    public struct Stretch: Hashable, Sendable {
        /// Bytes of the file.
        public let range: Range<Int64>
        /// Of these bytes alone.
        public let checksum: CRC64NVME

        public init(range: Range<Int64>, checksum: CRC64NVME) {
            self.range = range
            self.checksum = checksum
        }
    }

    /// In order; no two overlap or touch.
    public private(set) var stretches: [Stretch] = []

    /// Of a file of which nothing was read.
    public init() {}

    init(_ stretches: [Stretch]) {
        for stretch in stretches { insert(stretch.checksum, of: stretch.range) }
    }

    /// As many as a message carries.
    var carried: [Stretch] { Array(stretches.prefix(Self.stretchesMaximum)) }

    public var isEmpty: Bool { stretches.isEmpty }

    /// Adds a stretch, in place of those that lie within it; one that only overlaps a known one adds nothing.
    public mutating func insert(_ checksum: CRC64NVME, of range: Range<Int64>) {
        let isNews = stretches.allSatisfy {
            !$0.range.overlaps(range) || (range.contains($0.range) && $0.range != range)
        }
        guard !range.isEmpty, isNews else { return }
        stretches.removeAll { range.contains($0.range) }
        let index = (stretches.lastIndex { $0.range.lowerBound < range.lowerBound } ?? -1) + 1
        let (before, after) = (index - 1, index)
        var new = Stretch(range: range, checksum: checksum)
        var replaced = index..<index
        if before >= 0, stretches[before].range.upperBound == range.lowerBound {
            new = stretches[before].followed(by: new)
            replaced = before..<replaced.upperBound
        }
        if after < stretches.count, range.upperBound == stretches[after].range.lowerBound {
            new = new.followed(by: stretches[after])
            replaced = replaced.lowerBound..<after + 1
        }
        stretches.replaceSubrange(replaced, with: CollectionOfOne(new))
    }

    /// The checksum of a stretch; nil where it is not known as a whole, or only as part of a longer one.
    public func checksum(of range: Range<Int64>) -> CRC64NVME? {
        range.isEmpty ? CRC64NVME() : stretches.first { $0.range == range }?.checksum
    }

    /// The ranges of a file of this size between the stretches.
    public func unread(of size: Int64) -> [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        var end: Int64 = 0
        for stretch in stretches where stretch.range.lowerBound < size {
            if end < stretch.range.lowerBound { ranges.append(end..<stretch.range.lowerBound) }
            end = stretch.range.upperBound
        }
        if end < size { ranges.append(end..<size) }
        return ranges
    }
}

extension FileChecksums.Stretch {
    fileprivate func followed(by next: Self) -> Self {
        var whole = checksum
        whole.append(next.checksum, count: Int64(next.range.count))
        return Self(range: range.lowerBound..<next.range.upperBound, checksum: whole)
    }
}

extension FileChecksums.Stretch: Codable {
    private enum Key: String, CodingKey { case from, to, crc64nvme }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let from = try container.decode(0...WireLimits.sizeMaximum, forKey: .from)
        let to = try container.decode(0...WireLimits.sizeMaximum, forKey: .to)
        let text = try container.decodeText(atMost: 16, forKey: .crc64nvme)
        guard let value = UInt64(text, radix: 16) else {
            throw DecodingError.dataCorruptedError(
                forKey: .crc64nvme, in: container, debugDescription: "'\(text)' is no hexadecimal number")
        }
        self.init(range: from..<max(from, to), checksum: CRC64NVME(value))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(range.lowerBound, forKey: .from)
        try container.encode(range.upperBound, forKey: .to)
        try container.encode(checksum.hexadecimal, forKey: .crc64nvme)
    }
}
