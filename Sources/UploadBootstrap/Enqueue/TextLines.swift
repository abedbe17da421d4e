/// Parts a stream of bytes into lines, which it hands over one after another: only the last, unfinished one is in memory.
struct TextLines {
    /// The longest line of a manifest, in bytes: metadata and tags of a line have their own bounds, far below.
    static let lineBytesMaximum = 1 << 20

    private var rest: [UInt8] = []
    /// TextLines so far.
    private(set) var count = 0

    /// - Parameters:
    ///   - bytes: those that come next.
    ///   - body: takes a line without its end, and its number, from 1.
    /// - Throws: what `body` throws, and `badInput` for a line that is too long.
    mutating func add(
        _ bytes: [UInt8], _ body: (ArraySlice<UInt8>, Int) throws(ProgramError) -> Void
    ) throws(ProgramError) {
        var bytes = bytes[...]
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            try tell(bytes[..<end], body)
            bytes = bytes[(end + 1)...]
        }
        rest += bytes
        guard rest.count <= Self.lineBytesMaximum else { throw tooLong }
    }

    /// Hands over what comes after the last line end.
    mutating func finish(_ body: (ArraySlice<UInt8>, Int) throws(ProgramError) -> Void) throws(ProgramError) {
        if !rest.isEmpty { try tell([], body) }
    }

    private mutating func tell(
        _ end: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, Int) throws(ProgramError) -> Void
    ) throws(ProgramError) {
        guard rest.count + end.count <= Self.lineBytesMaximum else { throw tooLong }
        count += 1
        if rest.isEmpty { return try body(end, count) }
        let line = rest + end
        rest = []
        try body(line[...], count)
    }

    private var tooLong: ProgramError {
        ProgramError(
            .badInput,
            "line \(count + 1) of the manifest has more than \(Self.lineBytesMaximum >> 20) MiB; write one upload a line"
        )
    }
}
