import Foundation
import Uploads
import UploadsRabbitMQ

/// Judges the broker's objects for `uploadctl topology`: which are missing or different, and whether they may be deleted. Pure.
struct TopologyReport: Hashable {
    /// The most missing objects that one line names.
    private static let namesMaximum = 4

    let objects: [BrokerObject]
    let topology: UploadTopology

    /// The control log's stream. It keeps messages after programs have read them, so its messages do not count as waiting.
    private var controlLog: String { topology.control }

    /// The objects for people: consecutive levels of the delay ladder in the same state are folded into one row.
    var folded: [BrokerObject] {
        let prefix = topology.ladderTop.dropLast(2)
        var folded: [BrokerObject] = []
        var first: BrokerObject?
        for object in objects {
            guard object.name.hasPrefix(prefix), let last = folded.last, let begin = first, last.kind == object.kind,
                last.state == object.state, last.problem == object.problem
            else {
                folded.append(object)
                first = object.name.hasPrefix(prefix) ? object : nil
                continue
            }
            folded[folded.count - 1].name = "\(begin.name) to \(object.name.suffix(2))"
            folded[folded.count - 1].messages = last.messages.map { $0 + (object.messages ?? 0) }
            folded[folded.count - 1].consumers = last.consumers.map { $0 + (object.consumers ?? 0) }
        }
        return folded
    }

    /// The problems that `check` prints.
    var problems: [String] {
        let different = folded.filter { $0.state == .different }.map { object in
            """
            \(object.kind.rawValue) \(object.name) was declared otherwise (\(object.problem ?? "")): use another namespace, \
            or delete this one
            """
        }
        let missing = folded.filter { $0.state == .missing }.map { "\($0.kind.rawValue) \($0.name)" }
        guard !missing.isEmpty else { return different }
        let names = missing.prefix(Self.namesMaximum).joined(separator: ", ")
        let more = missing.count > Self.namesMaximum ? " and \(missing.count - Self.namesMaximum) more" : ""
        return different + ["missing: \(names)\(more); the next program that needs them declares them"]
    }

    var wrong: [BrokerObject] { objects.filter { $0.state != .asDeclared } }

    var isThere: Bool { objects.contains { $0.state != .missing } }

    /// The number of messages that a deletion would lose.
    var messages: Int { objects.filter { $0.name != controlLog }.reduce(0) { $0 + ($1.messages ?? 0) } }

    /// Why the objects must not be deleted; nil when they may be.
    func refusal(discardsMessages: Bool) -> String? {
        let readers = objects.filter { $0.consumers ?? 0 > 0 }
        if let first = readers.first {
            return """
                \(readers.count == 1 ? "1 queue is" : "\(readers.count) queues are") read from, \(first.name) among them: \
                stop every upload-worker and upload-notifier first
                """
        }
        guard messages > 0, !discardsMessages else { return nil }
        let holding = objects.filter { $0.name != controlLog && $0.messages ?? 0 > 0 }.map {
            "\($0.name) (\($0.messages ?? 0))"
        }
        return """
            \(messages == 1 ? "1 message waits" : "\(messages) messages wait") in \(holding.joined(separator: ", ")); \
            --discard deletes them as well, and the uploads that they stand for
            """
    }
}

extension Table {
    init(_ objects: [BrokerObject]) {
        self.init(
            [
                Column(title: "KIND"), Column(title: "NAME", minimum: 16, keepsEnd: true),
                Column(title: "MESSAGES", isNumber: true), Column(title: "READERS", isNumber: true),
                Column(title: "STATE"), .wide("PROBLEM"),
            ],
            rows: objects.map { object in
                let state =
                    switch object.state {
                    case .asDeclared: "ok"
                    case .missing: "missing"
                    case .different: "different"
                    }
                return [
                    object.kind.rawValue, object.name, object.messages.map(String.init) ?? "",
                    object.consumers.map(String.init) ?? "", state, object.problem ?? "",
                ]
            })
    }
}
