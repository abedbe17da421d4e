import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct EnqueuePlanTests {
    private let files: Files

    init() throws { files = try Files() }

    private func plan(
        _ paths: [String], to destination: String, manifest: String? = nil,
        destinations: Set<DestinationName>? = nil, adjust: (inout EnqueueRequest) -> Void = { _ in }
    ) throws -> EnqueuePlan {
        var request = EnqueueRequest(
            paths: paths.map { FilePath($0) }, destination: try DestinationArgument(destination))
        request.manifest = manifest == nil ? nil : "list"
        adjust(&request)
        return try EnqueuePlan(request, manifest: manifest, destinations: destinations)
    }

    private func failure(_ body: () throws -> EnqueuePlan) -> ProgramError? {
        #expect(throws: ProgramError.self) { try body() }
    }

    private func keys(_ plan: EnqueuePlan) -> [String] { plan.uploads.map(\.destination.displayText) }

    @Test func `a file takes the key, or its own name below a prefix`() throws {
        let cat = try files.write("cat.JPG", "12345")
        #expect(keys(try plan([cat], to: "photos:tom.jpg")) == ["photos:tom.jpg"])
        let below = try plan([cat], to: "photos:2026/")
        #expect(keys(below) == ["photos:2026/cat.JPG"])
        #expect(below.uploads[0].size == 5)
        #expect(below.uploads[0].contentType == "image/jpeg")
        #expect(below.uploads[0].isInline)
    }

    @Test func `without a staging area, what needs a copy is refused with a remedy`() throws {
        let small = try files.write("small", String(repeating: "x", count: 32_768))
        let large = try files.write("large", String(repeating: "x", count: 32_769))
        func plan(_ paths: [String], _ adjust: (inout EnqueueRequest) -> Void = { _ in }) throws -> EnqueuePlan {
            var request = EnqueueRequest(
                paths: paths.map { FilePath($0) },
                destination: try DestinationArgument(paths.first == small ? "x:" : "x:a"))
            adjust(&request)
            return try EnqueuePlan(request, canStage: false)
        }
        #expect(keys(try plan([small, "https://h/a"])) == ["x:small", "x:a"])
        #expect(keys(try plan([large]) { $0.stages = false }) == ["x:a"])
        for path in [large, "-", "data:,\(String(repeating: "x", count: 32_769))"] {
            let error = failure { try plan([path]) }
            #expect(error?.exitCode == .badInput && error?.problems.count == 1)
            #expect(error?.description.contains("only 32 KiB travel inside a job") == true, "\(error?.problems ?? [])")
            #expect(error?.description.contains("--no-stage") == true)
        }
    }

    @Test func `a key is made of what is known of each file`() throws {
        let cat = try files.write("in/cat.tar.gz", "12345")
        let dog = try files.write("in/sub/dog", "1")
        func keys(_ key: String, _ paths: [String]? = nil) throws -> [String] {
            let plan = try plan(paths ?? ["\(files.path)/in"], to: "x:\(key)") { $0.metadata = ["album": "pets/{1}"] }
            return self.keys(plan).map { String($0.dropFirst(2)) }
        }
        #expect(try keys("{stem}_{ext}") == ["cat.tar_gz", "dog_"])
        #expect(try keys("a/{path}.bak") == ["a/cat.tar.gz.bak", "a/sub/dog.bak"])
        #expect(try keys("{metadata.album}/") == ["pets/{1}/cat.tar.gz", "pets/{1}/sub/dog"])
        #expect(try keys("{{{name}}}", [cat]) == ["{cat.tar.gz}"])
        #expect(try keys("{sha256}.{ext}", [cat, dog]) == ["{sha256}.gz", "{sha256}."])
        let day = try #require(try keys("{date}", [dog]).first)
        #expect(day.wholeMatch(of: /20\d\d-\d\d-\d\d/) != nil)
    }

    @Test func `of a directory, patterns choose files and directories`() throws {
        for name in ["a.jpg", "b.tmp", "raw/c.jpg", "raw/deep/d.jpg", ".git/e", "raw/.git/f.jpg"] {
            _ = try files.write("in/\(name)", "1")
        }
        func keys(_ included: [String], _ excluded: [String]) throws -> [String] {
            let plan = try plan(["\(files.path)/in"], to: "x:") {
                $0.filter = PathFilter(included: included, excluded: excluded)
            }
            return self.keys(plan).map { String($0.dropFirst(2)) }
        }
        #expect(try keys([], [".git", "*.tmp"]) == ["a.jpg", "raw/c.jpg", "raw/deep/d.jpg"])
        #expect(try keys(["*.jpg"], [".git/"]) == ["a.jpg", "raw/c.jpg", "raw/deep/d.jpg"])
        #expect(try keys(["raw/*.jpg"], []) == ["raw/c.jpg"])
        #expect(try keys(["raw/**"], ["raw/deep"]) == ["raw/.git/f.jpg", "raw/c.jpg"])
        #expect(try keys(["*.png"], []) == [])
        // A file that is named itself is wanted.
        let named = try plan(["\(files.path)/in/b.tmp"], to: "x:") { $0.filter = PathFilter(excluded: ["*.tmp"]) }
        #expect(self.keys(named) == ["x:b.tmp"])
        for pattern in ["", "/a"] {
            let error = failure {
                try plan(["\(files.path)/in"], to: "x:") { $0.filter = PathFilter(included: [pattern]) }
            }
            #expect(error?.exitCode == .usage && error?.description.contains("--include") == true)
        }
    }

    @Test func `files of a directory that cannot be read are skipped on request, and named`() throws {
        _ = try files.write("in/a", "1")
        try FileManager.default.createSymbolicLink(
            atPath: "\(files.path)/in/gone", withDestinationPath: "\(files.path)/nowhere")
        #expect(failure { try self.plan(["\(files.path)/in"], to: "x:") }?.exitCode == .noInput)
        let plan = try self.plan(["\(files.path)/in"], to: "x:") { $0.skipsErrors = true }
        #expect(keys(plan) == ["x:a"])
        #expect(plan.notes.count == 1 && plan.notes[0].hasPrefix("skipped \(files.path)/in/gone: gone, or a link"))
        #expect(plan.skipped?.exitCode == .noInput)
        #expect(plan.skipped?.description.hasPrefix("1 file could not be read") == true)
        #expect(try plan.total == "1 upload of 1 B")
        // A path that was named itself is a mistake of the command.
        #expect(failure { try self.plan(["\(files.path)/in/gone"], to: "x:") { $0.skipsErrors = true } } != nil)
    }

    @Test(arguments: ["jpg", "image/", "/png", "image/png/x", "a b/c", "image/p;ng/", ""])
    func `a content type that is none is refused`(type: String) throws {
        let cat = try files.write("cat", "1")
        let error = failure { try plan([cat], to: "x:") { $0.contentType = type } }
        #expect(error?.exitCode == .usage && error?.description.hasPrefix("contentType: ") == true, "\(type)")
        for good in [
            "image/jpeg", "text/html; charset=utf-8", "application/vnd.a+json", "text/html ;charset=utf-8",
            "text/html;",
            #"multipart/x; boundary="a;b""#,
        ] {
            #expect(throws: Never.self) { try plan([cat], to: "x:") { $0.contentType = good } }
        }
    }

    @Test func `a key that cannot be made is told with its remedy`() throws {
        let cat = try files.write("cat", "12345")
        let dog = try files.write("dog", "1")
        func problem(_ key: String, _ paths: [String], adjust: (inout EnqueueRequest) -> Void = { _ in }) -> String {
            failure { try plan(paths, to: "x:\(key)", adjust: adjust) }?.description ?? ""
        }
        #expect(problem("{metadata.album}/", [cat]).contains("give it with --metadata album=…"))
        #expect(problem("{name}", ["-"]).contains("it has no name"))
        #expect(problem("{date}", [cat, dog]).contains("or have {name} in its key"))
        #expect(problem("a/{metadata.up}/x", [cat]) { $0.metadata = ["up": ".."] }.contains("no parts '.' or '..'"))
        #expect(
            problem("{sha256}", ["https://h/a"]).contains("the digest of an object that lies elsewhere is not known"))
        #expect(problem("{ext}x", [cat, dog]).contains("both would be x:x"))
    }

    @Test func `verification is asked for by flag or by line, and not of a pre-signed URL`() throws {
        let cat = try files.write("cat.jpg", "12345")
        #expect(try plan([cat], to: "photos:").uploads.map(\.wishes.verify) == [false])
        #expect(try plan([cat], to: "photos:") { $0.verify = true }.uploads.map(\.wishes.verify) == [true])
        let lines = "{\"path\": \"\(cat)\", \"key\": \"a\", \"verify\": true}\n{\"path\": \"\(cat)\", \"key\": \"b\"}"
        #expect(try plan([], to: "photos:", manifest: lines).uploads.map(\.wishes.verify) == [true, false])
        let odd = failure { try plan([], to: "photos:", manifest: "{\"path\": \"\(cat)\", \"verify\": \"yes\"}") }
        #expect(odd?.exitCode == .badInput && odd?.description.contains("true or false") == true)
        let error = failure { try plan([cat], to: "https://host/cat?X-Signature=topsecret") { $0.verify = true } }
        #expect(error?.exitCode == .usage && error?.description.contains("pre-signed") == true)
        #expect(error?.description.contains("topsecret") == false)
        _ = try plan([cat], to: "https://host/cat") { $0.verify = true }
    }

    @Test func `a directory gives relative paths, hidden ones too, in the order of their bytes`() throws {
        for name in ["d/b.txt", "d/a/z", "d/a.txt", "d/.hidden", "d/é", "d/a/y y", "d/+%-", "d/Z"] {
            try files.write(name)
        }
        let expected = ["+%-", ".hidden", "Z", "a.txt", "a/y y", "a/z", "b.txt", "é"].map { "x:\($0)" }
        #expect(keys(try plan(["\(files.path)/d"], to: "x:")) == expected)
        #expect(keys(try plan(["\(files.path)/d/"], to: "x:")) == expected)
    }

    @Test func `links to files are followed, links to directories inside a directory are not`() throws {
        try files.write("d/real")
        try files.write("e/inside")
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: "\(files.path)/d/link", withDestinationPath: "real")
        try manager.createSymbolicLink(atPath: "\(files.path)/d/loop", withDestinationPath: "..")
        try manager.createSymbolicLink(atPath: "\(files.path)/top", withDestinationPath: "e")
        let inside = try plan(["\(files.path)/d"], to: "x:")
        #expect(keys(inside) == ["x:link", "x:real"])
        #expect(inside.notes.count == 1)
        #expect(inside.notes[0].contains("loop: a link to a directory"))
        #expect(keys(try plan(["\(files.path)/top"], to: "x:")) == ["x:inside"])
    }

    @Test func `a link that leads nowhere enqueues nothing`() throws {
        try files.write("d/real")
        try FileManager.default.createSymbolicLink(atPath: "\(files.path)/d/broken", withDestinationPath: "gone")
        #expect(failure { try plan(["\(files.path)/d"], to: "x:") }?.exitCode == .noInput)
    }

    @Test func `several files and directories need a prefix`() throws {
        let a = try files.write("a")
        let b = try files.write("b")
        #expect(failure { try plan([a, b], to: "x:key") }?.exitCode == .usage)
        #expect(failure { try plan([files.path], to: "x:key") }?.exitCode == .usage)
        #expect(keys(try plan([a, b], to: "x:k/")) == ["x:k/a", "x:k/b"])
    }

    @Test func `two files under one key are refused`() throws {
        let a = try files.write("one/a")
        let b = try files.write("two/a")
        let error = failure { try plan([a, b], to: "x:") }
        #expect(error?.exitCode == .badInput)
        #expect(error?.description.contains("both would be x:a") == true)
    }

    @Test func `every missing file is told, and the exit status is that of the first`() throws {
        let a = try files.write("a")
        let error = failure { try plan([a, "\(files.path)/no", "\(files.path)/nor"], to: "x:") }
        #expect(error?.exitCode == .noInput)
        #expect(error?.problems.count == 2)
    }

    @Test func `two spellings of a letter are two files, two keys and two idempotency keys`() throws {
        let names = ["caf\u{E9}", "cafe\u{301}"]
        for name in names { _ = try files.write("in/\(name)", name) }
        let made = try plan(["\(files.path)/in"], to: "x:")
        #expect(
            made.uploads.map { Array($0.destination.displayText.utf8) }
                == names.reversed().map { Array("x:\($0)".utf8) })
        #expect(made.uploads.map(\.size) == [6, 5])
        let lines = names.map { "{\"path\": \"\(files.path)/in/\($0)\", \"idempotencyKey\": \"\($0)\"}" }
        #expect(try plan([], to: "x:", manifest: lines.joined(separator: "\n")).uploads.count == 2)
    }

    @Test func `a name that is not UTF-8 has its bytes in the key, escaped`() throws {
        let plain = try files.write("in/50%.txt")
        let odd = FilePath("\(files.path)/in").appending(Array("50%".utf8) + [0xFF])
        try files.write("in/x")
        try files.rename("in/x", to: odd)
        let made = try plan(["\(files.path)/in"], to: "x:")
        #expect(keys(made) == ["x:50%.txt", "x:50%25%FF"])
        #expect(made.uploads[1].path == odd && made.uploads[1].size == 5)
        #expect(EnqueuedListing(made.uploads[1], id: JobID(), size: 5).source == "\(files.path)/in/50%25%FF")

        // A plain line may have any bytes, an object is JSON.
        let object = Array(#"{"pathBytes": "\#(Data(odd.bytes).base64EncodedString())", "key": "k"}"#.utf8)
        var request = EnqueueRequest(paths: [], destination: try DestinationArgument("x:"))
        request.manifest = "list"
        let listed = try EnqueuePlan(request, manifest: odd.bytes + [10] + object + [10] + Array(plain.utf8))
        #expect(keys(listed) == ["x:50%25%FF", "x:k", "x:50%.txt"])
        #expect(listed.uploads.map(\.path) == [odd, odd, FilePath(plain)])

        // The escaped form of the name may be the name of another file.
        try files.write("in/50%25%FF")
        let error = failure { try plan(["\(files.path)/in"], to: "x:") }
        #expect(error?.description.contains("both would be x:50%25%FF") == true)
        let key = failure {
            try EnqueuePlan(
                EnqueueRequest(paths: [FilePath(bytes: [0xFF])], destination: try DestinationArgument("x:"))
                    .from("photos"))
        }
        #expect(key?.exitCode == .badInput && key?.description.contains("photos:%FF: a key is UTF-8 text") == true)
    }

    @Test func `a long plan goes to the disk, in the same order and with the same mistakes found`() throws {
        let count = 3000
        let lines = (0..<count).map { number in
            number.isMultiple(of: 3)
                ? #"{"path": "a/\#(number)", "metadata": {"n": "\#(number)"}, "idempotencyKey": "i\#(number)"}"#
                : "a/\(String(repeating: "long", count: 20))/\(number)"
        }
        func plan(_ lines: [String], cacheBytes: Int = 16 << 10) throws -> EnqueuePlan {
            var request = EnqueueRequest(paths: [], destination: try DestinationArgument("x:"))
            request.manifest = "list"
            return try EnqueuePlan(
                request.from("photos"), manifest: lines.joined(separator: "\n"), cacheBytes: cacheBytes)
        }
        let made = try plan(lines)
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(links.contains { $0.contains("etilqs_") && $0.hasSuffix("(deleted)") }, "\(links)")
        let whole = try plan(lines, cacheBytes: 64 << 20)
        #expect(keys(made) == (0..<count).map { "x:\($0)" })
        #expect(
            made.uploads.map { [$0.path.description, $0.wishes.metadata["n"], $0.wishes.idempotencyKey] }
                == whole.uploads.map { [$0.path.description, $0.wishes.metadata["n"], $0.wishes.idempotencyKey] })
        #expect(made.uploads[3].wishes.metadata == ["n": "3"] && made.uploads[4].wishes == UploadWishes())
        let ids = made.uploads.map(\.id)
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })

        let key = failure { try plan(lines + ["b/1"]) }
        #expect(
            key?.description.hasSuffix(
                "/1 and photos:b/1: both would be x:1; enqueue them under different prefixes, or leave one out") == true
        )
        let twice = failure { try plan(lines + [#"{"path": "b", "idempotencyKey": "i0"}"#]) }
        #expect(twice?.description == "photos:a/0 and photos:b: both have the idempotency key 'i0'")
        let many = failure { try plan(lines.map { _ in "../x" }) }
        #expect(many?.problems.count == EnqueuePlanner.problemsMaximum + 1)
        #expect(many?.problems.last == "and \(count - EnqueuePlanner.problemsMaximum) more problems like these")
    }

    @Test func `lines of a manifest may end as on Windows`() throws {
        let paths = try ["a", "b"].map { try files.write($0) }
        let lines = "\(paths[0])\r\n\r\n{\"path\": \"\(paths[1])\", \"key\": \"c\"}\r\n"
        #expect(keys(try plan([], to: "x:p/", manifest: lines)) == ["x:p/a", "x:p/c"])
    }

    @Test func `a manifest mixes paths and objects`() throws {
        let a = try files.write("a b+%ü.txt")
        let b = try files.write("-b")
        let lines = """
            \(a)

            {"path": "\(b)", "key": "n/b.png", "contentType": "image/png", "metadata": {"k": "v"}}
            """
        let made = try plan([], to: "x:p/", manifest: lines) { $0.metadata = ["all": "1"] }
        #expect(keys(made) == ["x:p/a b+%ü.txt", "x:p/n/b.png"])
        #expect(made.uploads[1].contentType == "image/png")
        #expect(made.uploads[1].wishes.metadata == ["all": "1", "k": "v"])
    }

    @Test func `what is done with an object that exists comes from the manifest, else from the command line`() throws {
        let (a, b) = (try files.write("a"), try files.write("b"))
        let lines = "\(a)\n{\"path\": \"\(b)\", \"ifExists\": \"fail\"}"
        #expect(try plan([], to: "x:", manifest: lines).uploads.map(\.wishes.ifExists) == [.replace, .fail])
        let made = try plan([], to: "x:", manifest: lines) { $0.ifExists = .skip }
        #expect(made.uploads.map(\.wishes.ifExists) == [.skip, .fail])
    }

    @Test func `properties of the manifest go before those of the command line`() throws {
        let a = try files.write("a")
        let line = "{\"path\": \"\(a)\", \"cacheControl\": \"no-store\", \"tags\": {\"k\": \"2\", \"m\": \"3\"}}"
        let made = try plan([], to: "x:", manifest: line) {
            $0.properties = ObjectProperties(cacheControl: "public", contentLanguage: "de", tags: ["k": "1", "l": ""])
        }
        let expected = ObjectProperties(
            cacheControl: "no-store", contentLanguage: "de", tags: ["k": "2", "l": "", "m": "3"])
        #expect(made.uploads[0].wishes.properties == expected)
    }

    @Test func `what cannot be a header is refused before anything is enqueued`() throws {
        let a = try files.write("a")
        var error = failure { try plan([a], to: "x:") { $0.contentType = "text/plain\r\nx-evil: 1" } }
        #expect(error?.exitCode == .usage)
        error = failure { try plan([a], to: "x:") { $0.metadata = ["a b": "1"] } }
        #expect(error?.exitCode == .usage)
        error = failure { try plan([], to: "x:", manifest: "{\"path\": \"\(a)\", \"storageClass\": \"Größe\"}") }
        #expect(error?.exitCode == .badInput)
        #expect(error?.description.contains("storageClass: it has characters that are not printable ASCII") == true)
    }

    @Test(arguments: [
        ("{\"path\": \"x\", \"tags\": [1]}", "tags: expected an object of texts"),
        ("{\"path\": \"x\", \"ifExists\": \"ask\"}", "ifExists 'ask': expected skip, fail, rename or replace"),
        ("{\"path\": ", "not a JSON object"), ("{\"key\": \"x\"}", "'path' is missing"),
        ("{\"path\": \"x\", \"kee\": \"x\"}", "unknown field 'kee'; did you mean 'key'?"),
        ("{\"path\": \"x\", \"metadata\": {\"a\": 1}}", "metadata 'a'"),
        ("{\"path\": \"x\", \"key\": 5}", "key: expected a text"),
    ])
    func `a bad manifest line is told with its number`(line: String, part: String) throws {
        let a = try files.write("a")
        let error = failure { try plan([], to: "x:", manifest: "\(a)\n\(line)\n") }
        #expect(error?.exitCode == .badInput)
        #expect(error?.description.hasPrefix("list:2: ") == true)
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
    }

    @Test func `a manifest that names a missing file says which line`() throws {
        let error = failure { try plan([], to: "x:", manifest: "\(files.path)/none") }
        #expect(error?.exitCode == .noInput)
        #expect(error?.description.hasPrefix("list:1: ") == true)
    }

    @Test(arguments: ["../a", "../\u{301}a", "/\u{301}a"])
    func `a key of a manifest cannot leave its destination`(key: String) throws {
        let a = try files.write("a")
        let error = failure { try plan([], to: "x:", manifest: "{\"path\": \"\(a)\", \"key\": \"\(key)\"}") }
        #expect(error?.exitCode == .badInput)
    }

    @Test func `standard input needs a key, and is uploaded alone`() throws {
        let made = try plan(["-"], to: "x:shop.sql")
        #expect(made.uploads.map(\.content) == [.standardInput])
        #expect(made.uploads[0].contentType == "application/sql")
        #expect(failure { try plan(["-"], to: "x:") }?.exitCode == .usage)
        #expect(failure { try plan(["-"], to: "x:k") { $0.stages = false } }?.exitCode == .usage)
    }

    @Test func `a destination that the configuration does not have names those that it has`() throws {
        let a = try files.write("a")
        let known: Set = [DestinationName(unchecked: "photos"), DestinationName(unchecked: "archive")]
        #expect(failure { try plan([a], to: "photo:", destinations: known) }?.description.contains("'photos'") == true)
        let other = failure { try plan([a], to: "elsewhere:", destinations: known) }
        #expect(other?.exitCode == .configuration)
        #expect(other?.description.contains("archive, photos") == true)
        #expect(keys(try plan([a], to: "elsewhere:")) == ["elsewhere:a"])
    }

    @Test func `nothing to upload is a usage error, an empty directory is not`() throws {
        #expect(failure { try plan([], to: "x:") }?.exitCode == .usage)
        let made = try plan([files.path], to: "x:")
        #expect(made.uploads.isEmpty)
        #expect(made.notes.count == 1)
    }

    @Test func `keys at a destination are carried from there`() throws {
        let made = try plan(["2026/11/cat.jpg"], to: "archive:pets/") { $0.from = DestinationName(unchecked: "photos") }
        #expect(keys(made) == ["archive:pets/cat.jpg"])
        #expect(
            made.uploads[0].content == .object(.named(DestinationName(unchecked: "photos"), key: "2026/11/cat.jpg")))
        #expect(made.uploads[0].path == "photos:2026/11/cat.jpg" && made.uploads[0].size == nil)
        #expect(made.uploads[0].contentType == "image/jpeg" && made.uploads[0].isElsewhere)
        let lines = "a/1.txt\n{\"path\": \"b/1.txt\", \"key\": \"2.txt\"}"
        let listed = try plan([], to: "archive:", manifest: lines) { $0.from = DestinationName(unchecked: "photos") }
        #expect(keys(listed) == ["archive:1.txt", "archive:2.txt"])

        let twice = failure {
            try plan(["a/1.txt", "b/1.txt"], to: "archive:") { $0.from = DestinationName(unchecked: "photos") }
        }
        #expect(twice?.description.contains("both would be archive:1.txt") == true)
        let outside = failure { try plan(["../x"], to: "archive:") { $0.from = DestinationName(unchecked: "photos") } }
        #expect(outside?.exitCode == .badInput && outside?.description.contains("'..'") == true)
        for path in ["-", "x"] {
            let error = failure {
                try plan([path], to: "archive:x") { request in
                    request.from = DestinationName(unchecked: "photos")
                    request.stages = path == "-"
                }
            }
            #expect(error?.exitCode == .usage && error?.description.contains("leave") == true, "\(path)")
        }
        let unknown = failure {
            try plan(["x"], to: "archive:", destinations: [DestinationName(unchecked: "archive")]) {
                $0.from = DestinationName(unchecked: "archiv")
            }
        }
        #expect(unknown?.description.contains("did you mean 'archive'?") == true)
    }

    @Test func `URLs are sources too, and their queries are not shown`() throws {
        let url = "https://files.example/pub/cat%20one.jpg?token=topsecret"
        let made = try plan([url, "HTTP://files.example/b.bin"], to: "archive:")
        #expect(keys(made) == ["archive:cat one.jpg", "archive:b.bin"])
        #expect(made.uploads[0].content == .object(.url(url)))
        #expect(!made.uploads[0].path.description.contains("topsecret"))
        let nameless = failure { try plan(["https://files.example/pub/"], to: "archive:") }
        #expect(nameless?.exitCode == .usage && nameless?.description.contains("full key") == true)
        #expect(keys(try plan(["https://files.example/pub/"], to: "archive:index.html")) == ["archive:index.html"])

        let data = try plan(["data:image/png;base64,AAEC"], to: "archive:x.png")
        #expect(data.uploads[0].content == .data(Data([0, 1, 2])) && data.uploads[0].size == 3)
        #expect(data.uploads[0].contentType == "image/png" && data.uploads[0].isInline)
        let bad = failure { try plan(["data:;base64,###"], to: "archive:x.png") }
        #expect(bad?.exitCode == .badInput)
        let named = failure { try plan(["data:,x"], to: "archive:") }
        #expect(named?.exitCode == .usage)
    }
}

extension EnqueueRequest {
    /// The request with paths that are keys of another destination.
    fileprivate func from(_ name: String) -> EnqueueRequest {
        var request = self
        request.from = DestinationName(unchecked: name)
        return request
    }
}
