import Foundation
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Field mapping")
struct FieldMappingTests {
    private let event: JSONValue = [
        "subject": "job-1", "type": "upload.completed",
        "data": [
            "round": 2, "object": ["location": "https://there/a"], "failures": [["code": "networkFailure"]],
            "job": ["metadata": ["order": "7", "a.b": "dotted", "a": "plain"]],
        ],
    ]

    private static let paths: [(String, JSONValue)] = [
        ("subject", JSONValue.string("job-1")), ("data.round", 2), ("data.object.location", "https://there/a"),
        ("data.failures.0.code", "networkFailure"), ("data.job.metadata.order", "7"),
        ("data.job.metadata.a.b", "dotted"), ("data.job.metadata.a", "plain"),
        ("data.object", ["location": "https://there/a"]),
    ]

    @Test(arguments: paths)
    func `a field is chosen by its path and gets its new name`(path: String, value: JSONValue) throws {
        #expect(try FieldMapping(["name": path])(event) == ["name": value])
    }

    private static let constants: [(String, JSONValue)] = [
        ("=done", JSONValue.string("done")), ("=1", 1), ("=\"1\"", "1"), ("=true", true), ("=null", .null), ("=", ""),
        ("=a=b", "a=b"), ("=[1, 2]", [1, 2]),
    ]

    @Test(arguments: constants)
    func `a constant is what JSON makes of it, or text`(text: String, value: JSONValue) throws {
        #expect(try FieldMapping(["name": text])(event) == ["name": value])
    }

    @Test(arguments: ["data.error.code", "data.failures.1", "data.round.x", "data.failures.-1", "time"])
    func `a field that the event does not have is left out`(path: String) throws {
        #expect(try FieldMapping(["gone": path, "kept": "subject"])(event) == ["kept": "job-1"])
    }

    @Test func `nothing is there but what was asked for`() throws {
        #expect(try FieldMapping([:])(event) == [:])
    }

    @Test(arguments: ["", "data..x", ".data", "job.id", "Data.round"])
    func `a path that no event can have is refused with its name`(path: String) {
        let error = #expect(throws: UploadError.self) { _ = try FieldMapping(["file": path]) }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("'file'") == true)
    }
}
