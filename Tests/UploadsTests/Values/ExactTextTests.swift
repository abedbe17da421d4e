import Testing
import Uploads

@Suite struct ExactTextTests {
    /// Texts that are equal to Swift: é, and the Angstrom sign in its three spellings, of which two have the same
    /// number of bytes.
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("\u{212B}", "A\u{30A}"), ("\u{212B}", "\u{C5}")])
    func `two spellings of a letter are two texts`(one: String, other: String) {
        #expect(one == other)
        #expect(ExactText(one) != ExactText(other))
        #expect(ExactText(one) == ExactText(one))
        #expect(Set([ExactText(one), ExactText(other), ExactText(one)]).count == 2)
        #expect((ExactText(one) < ExactText(other)) != (ExactText(other) < ExactText(one)))
        let name = DestinationName(unchecked: "photos")
        let keys: Set<DestinationReference> = [
            .named(name, key: one), .named(name, key: other), .url("file:///\(one)"), .url("file:///\(other)"),
        ]
        #expect(keys.count == 4)
        #expect(DestinationReference.named(name, key: one) != .named(name, key: other))
        #expect(DestinationReference.named(name, key: "a") != .url("a"))
    }

    @Test func `a URL is known by its bytes, and what it hides is not shown`() throws {
        let reference = try DestinationReference("https://\u{301}jo:secret@host/a")
        #expect(reference == .url("https://\u{301}jo:secret@host/a"))
        #expect(reference.displayText == "https://host/a")
        #expect(
            try DestinationReference("photos:\u{301}a") == .named(DestinationName(unchecked: "photos"), key: "\u{301}a")
        )
    }

    @Test func `the order is that of the bytes`() {
        let texts: [ExactText] = ["\u{1F4F7}", "\u{FF21}", "z", "\u{E9}", "e\u{301}", "", "a"]
        let firstBytes: [UInt8] = texts.map { $0.text.utf8.first ?? 0 }
        #expect(texts.sorted().map { $0.text.utf8.first ?? 0 } == firstBytes.sorted())
    }
}
