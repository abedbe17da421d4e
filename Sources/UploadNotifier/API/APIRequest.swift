import Foundation
import Hummingbird
import Uploads

/// A request as a handler reads it. For a parameter that cannot be read, a method throws a problem that names it.
struct APIRequest: Sendable {
    var parameters: [String: String] = [:]
    var query: [String: [String]] = [:]
    var body = Data()
    var contentType: String?
    var headers: HTTPFields = [:]
    /// The host and port that the caller names.
    var authority: String?
    var lastEventID: String?
    var context: APIRequestContext?

    /// The caller's place in a trace. A value that is none is ignored, as W3C Trace Context says.
    var trace: TraceParent? {
        HTTPFields.Element.Name(TraceParent.header).flatMap { headers[$0] }.flatMap { TraceParent($0) }
    }

    var caller: APICaller { context?.caller ?? APICaller(.api) }

    // MARK: Path

    func jobID() throws(APIProblem) -> JobID {
        guard let id = JobID(parameters["id"] ?? "") else {
            throw .invalid("a job's id is a UUID such as 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90")
        }
        return id
    }

    func number(_ name: String) throws(APIProblem) -> Int64 {
        guard let number = Int64(parameters[name] ?? ""), number >= 0 else {
            throw .invalid("\(name) in the path is a number from 0")
        }
        return number
    }

    func name(_ name: String) throws(APIProblem) -> QueueName { try Self.queue(parameters[name] ?? "", name) }

    // MARK: Query

    /// - Throws: for a query that cannot be decoded, and for a parameter that is not in `known`.
    static func query(_ text: String?, known: Set<String>) throws(APIProblem) -> [String: [String]] {
        var query: [String: [String]] = [:]
        for pair in (text ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0]), let value = decoded(parts.count > 1 ? parts[1] : "") else {
                throw .invalid("the query is not percent-encoded UTF-8")
            }
            guard known.contains(name) else {
                let list = known.isEmpty ? "there are none here" : "known are \(known.sorted().joined(separator: ", "))"
                throw .invalid("the query has an unknown parameter '\(name.prefix(64))'; \(list)")
            }
            guard !value.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
                throw .invalid("the query's parameter '\(name)' has a control character")
            }
            query[name, default: []].append(value)
        }
        return query
    }

    private static func decoded(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }

    /// A parameter that may be given only once.
    func text(_ name: String, countMaximum: Int = 1024) throws(APIProblem) -> String? {
        guard let values = query[name], let value = values.first else { return nil }
        guard values.count == 1 else { throw .invalid("the query has '\(name)' more than once") }
        guard !value.isEmpty, value.count <= countMaximum else {
            throw .invalid("the query's '\(name)' is empty or longer than \(countMaximum) characters")
        }
        return value
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(APIProblem) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw .invalid("the query's '\(name)' is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// `true` or `false`; false where the parameter is left out.
    func flag(_ name: String) throws(APIProblem) -> Bool {
        switch try text(name) {
        case "true": true
        case "false", nil: false
        default: throw .invalid("the query's '\(name)' is true or false")
        }
    }

    func time(_ name: String) throws(APIProblem) -> Date? {
        guard let text = try text(name) else { return nil }
        guard let time = WireJSON.date(text) else {
            throw .invalid("the query's '\(name)' is an RFC 3339 time such as 2026-11-21T08:00:00Z")
        }
        return time
    }

    /// A name of a transfer queue.
    func queue() throws(APIProblem) -> QueueName? {
        guard let text = try text("queue") else { return nil }
        return try Self.queue(text, "queue")
    }

    /// A name of a delegate: the rules of a queue's name.
    func delegate() throws(APIProblem) -> String? {
        guard let text = try text("delegate") else { return nil }
        return try Self.queue(text, "delegate").rawValue
    }

    private static func queue(_ text: String, _ what: String) throws(APIProblem) -> QueueName {
        do throws(UploadError) { return try QueueName(text) } catch {
            throw .invalid("'\(what)': 1 to 64 of the characters a-z, 0-9, '_' and '-'")
        }
    }

    /// The code of an upload error.
    func code(_ name: String) throws(APIProblem) -> UploadError.Code? {
        guard let text = try text(name) else { return nil }
        guard let code = UploadError.Code(exactly: text) else {
            let known = UploadError.Code.allCodes.map(\.description).joined(separator: ", ")
            throw .invalid("the query's '\(name)' is one of \(known)")
        }
        return code
    }

    /// Words of a fixed list; the parameter may be given more than once, and with commas.
    func words<Word: RawRepresentable & CaseIterable & Hashable>(
        _ name: String, _ type: Word.Type
    ) throws(APIProblem) -> Set<Word>? where Word.RawValue == String {
        guard let values = query[name] else { return nil }
        var words: Set<Word> = []
        for text in values.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            guard let word = Word(rawValue: String(text)) else {
                let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("the query's '\(name)' is one or more of \(known)")
            }
            words.insert(word)
        }
        return words
    }

    // MARK: Body

    /// The body as a JSON object.
    /// - Throws: for a field that is not in `fields`.
    func object(_ fields: Set<String>) throws(APIProblem) -> [String: JSONValue] {
        let object = try object(as: ["application/json"])
        try Self.check(object, fields, "the body")
        return object
    }

    /// The body as a JSON object with any fields.
    /// - Parameter types: the content types that the request may have.
    func object(as types: [String]) throws(APIProblem) -> [String: JSONValue] {
        let type = (contentType ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        guard types.contains(type) else {
            throw APIProblem(
                .unsupportedMediaType, "send the body as Content-Type: \(types.joined(separator: " or "))")
        }
        guard let value = try? WireJSON.decode(JSONValue.self, from: body), case .object(let object) = value else {
            throw .invalid("the body is not a JSON object")
        }
        return object
    }

    static func check(
        _ object: [String: JSONValue], _ fields: Set<String>, _ what: String
    ) throws(APIProblem) {
        if let empty = object.first(where: { $0.value == .null }) {
            throw .invalid("\(what) has a field '\(empty.key.prefix(64))' that is null; leave it out")
        }
        guard let stranger = object.keys.sorted().first(where: { !fields.contains($0) }) else { return }
        let known = fields.sorted().joined(separator: ", ")
        throw .invalid("\(what) has an unknown field '\(stranger.prefix(64))'; known are \(known)")
    }
}
