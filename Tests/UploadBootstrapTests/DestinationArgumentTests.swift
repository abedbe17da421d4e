import Testing
import Uploads

@testable import UploadBootstrap

struct DestinationArgumentTests {
    @Test func `a name and a key`() throws {
        let argument = try DestinationArgument("photos:2026/a:b.jpg")
        #expect(!argument.isPrefix)
        #expect(argument.reference == .named(DestinationName(unchecked: "photos"), key: "2026/a:b.jpg"))
    }

    @Test(arguments: [("photos:", "x y.jpg"), ("photos:2026/", "2026/x y.jpg")])
    func `a name and a prefix`(text: String, key: String) throws {
        let argument = try DestinationArgument(text)
        #expect(argument.isPrefix)
        #expect(argument.reference(appending: "x y.jpg") == .named(DestinationName(unchecked: "photos"), key: key))
    }

    @Test func `keys become parts of a URL, and its query stays behind them`() throws {
        let argument = try DestinationArgument("https://host/dir/?sig=1")
        #expect(argument.isPrefix)
        #expect(argument.reference(appending: "a b/ü+%.txt") == .url("https://host/dir/a%20b/%C3%BC%2B%25.txt?sig=1"))
        #expect(try DestinationArgument("file:///srv/in/").reference(appending: "-a") == .url("file:///srv/in/-a"))
    }

    @Test func `a URL without a slash at its end is one object`() throws {
        #expect(try !DestinationArgument("https://host/cat.jpg?sig=a/").isPrefix)
        #expect(try DestinationArgument("https://host/cat.jpg?sig=a/").reference == .url("https://host/cat.jpg?sig=a/"))
    }

    @Test(arguments: [
        ("photos", "for the top of a destination use 'photos:'"), ("Photos:x", "no destination name"),
        (":x", "no destination name"),
        ("s3://bucket/x", "scheme 's3'"), ("http://host:99999/x", "from 1 to 65535"),
        ("file://host/x", "three slashes"), ("photos:/x", "does not begin with '/'"),
        ("photos:a/../b", "no parts '.' or '..'"), ("photos:{nmae}", "no placeholder {nmae}; there are {date}, {ext}"),
        ("photos:{name", "a placeholder stands in braces"),
    ])
    func `what is no destination is a usage error with its remedy`(text: String, part: String) {
        let error = #expect(throws: ProgramError.self) { try DestinationArgument(text) }
        #expect(error?.exitCode == .usage)
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
    }

    @Test func `the query of a URL is not in the error`() {
        let error = #expect(throws: ProgramError.self) {
            try DestinationArgument("ftp://jo:hunter2@host/x?sig=hunter2")
        }
        #expect(error?.description.contains("hunter2") == false)
    }
}
