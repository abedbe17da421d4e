import Testing
import Uploads

@Suite struct FileIdentityTests {
    @Test(arguments: [
        ("2023-11-14T22:13:20.123456789Z", 1_700_000_000_123_456_789, 9),
        ("2023-11-14T22:13:20Z", 1_700_000_000_000_000_000, 0),
        ("2023-11-14T22:13:20.5Z", 1_700_000_000_500_000_000, 1), ("1970-01-01T00:00:00.000000001Z", 1, 9),
        ("2262-04-11T23:47:16.854775807Z", Int64.max, 9),
    ])
    func `a time is read and written with its digits`(text: String, nanoseconds: Int64, digits: Int) throws {
        let time = try #require(FileTime(text))
        #expect(time.nanoseconds == nanoseconds && time.digits == digits)
        #expect(time.text == text)
    }

    @Test func `other forms of a time are read, and what is none is not`() {
        #expect(FileTime("2023-11-14T23:13:20.25+01:00")?.nanoseconds == 1_700_000_000_250_000_000)
        #expect(FileTime("2023-11-14T22:13:20.1234567891234Z")?.nanoseconds == 1_700_000_000_123_456_789)
        for text in [
            "", "yesterday", "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20.x5Z", "2023-11-14T22:13:20.5.5Z",
            "2023-11-14T22:13:20.5",
            "1969-12-31T23:59:59Z", "2262-04-11T23:47:16.854775808Z", "9999-12-31T23:59:59Z", "2023-11-14T22:13:20.٣Z",
        ] {
            #expect(FileTime(text) == nil, "\(text)")
        }
        #expect(FileTime(nanoseconds: -1) == FileTime(nanoseconds: 0))
    }

    @Test func `times agree as far as both are exact`() throws {
        let exact = FileTime(nanoseconds: 1_700_000_000_123_956_789)
        #expect(!exact.agrees(with: FileTime(nanoseconds: exact.nanoseconds + 1)))
        for (text, agrees) in [
            ("2023-11-14T22:13:20.123Z", true), ("2023-11-14T22:13:20.124Z", true), ("2023-11-14T22:13:20.125Z", false),
            ("2023-11-14T22:13:20.122Z", false), ("2023-11-14T22:13:20Z", true), ("2023-11-14T22:13:22Z", false),
        ] {
            let time = try #require(FileTime(text))
            #expect(exact.agrees(with: time) == agrees && time.agrees(with: exact) == agrees, "\(text)")
        }
    }

    @Test func `inodes are compared on one file system, and times everywhere`() {
        let time = FileTime(nanoseconds: 5)
        let file = FileIdentity(modifiedAt: time, inode: 1, fileSystem: 2)
        #expect(file.agrees(with: file))
        #expect(!file.agrees(with: FileIdentity(modifiedAt: time, inode: 3, fileSystem: 2)))
        // Another host's number of the same file, or a host that sees none.
        #expect(file.agrees(with: FileIdentity(modifiedAt: time, inode: 3, fileSystem: 4)))
        #expect(file.agrees(with: FileIdentity(modifiedAt: time, inode: 3)))
        #expect(FileIdentity(inode: 1).agrees(with: FileIdentity(inode: 3)))
        #expect(!file.agrees(with: FileIdentity(modifiedAt: FileTime(nanoseconds: 6))))
        #expect(file.agrees(with: FileIdentity()))
    }
}
