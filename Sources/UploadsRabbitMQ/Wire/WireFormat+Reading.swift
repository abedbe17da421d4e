import Foundation
package import RabbitMQ
package import Uploads

extension WireFormat {
    /// The content of a message, or why it is unreadable.
    package enum Content: Hashable, Sendable {
        case job(UploadJob)
        case baton(Baton)
        case event(UploadEvent)
        case marker(IssueMarker)
        case control(ControlEntry)
        case order(UploadOrder)
        case answer(OrderAnswer)
        case destination(DestinationReport)
        case worker(WorkerReport)
        /// Written by a newer version of Longshore; the text is the message's type.
        case newer(String)
        /// Not a Longshore message; the text says what was expected, and at which field. Never shows the body.
        case unreadable(String)
    }

    /// The events of a message in the batch format, each as a message of its own, so that one that cannot be read spoils no other. Any
    /// other message as it is, and so one whose list cannot be cut into events: ``read(_:)`` says why.
    package static func singles(of message: Message) -> [Message] {
        guard isBatch(message), sizeProblem(message, WireType(message.type)) == nil, let events = events(of: message)
        else { return [message] }
        return events.map { event in
            var single = message
            single.body = event
            single.contentType = eventContentType
            single.messageID = nil
            return single
        }
    }

    /// - Returns: nil unless the body is a list of 1 to 64 elements.
    private static func events(of message: Message) -> [Data]? {
        let events = WireJSON.elements(of: message.body, atMost: EventBatches<Message>.countMaximum)
        return events?.isEmpty == true ? nil : events
    }

    private static func isBatch(_ message: Message) -> Bool {
        guard case .event = WireType(message.type), let text = message.contentType else { return false }
        return text == batchContentType || media(text) == batchContentType
    }

    /// Reads a message; of one in the batch format each of its ``singles(of:)``.
    package static func read(_ message: Message) -> Content {
        let type = WireType(message.type)
        if let problem = contentTypeProblem(message, type) ?? sizeProblem(message, type) {
            return .unreadable(problem)
        }
        do {
            switch type {
            case .job: return .job(try WireJSON.decode(UploadJob.self, from: message.body))
            case .baton: return .baton(try WireJSON.decode(Baton.self, from: message.body))
            case .marker: return .marker(try WireJSON.decode(IssueMarker.self, from: message.body))
            case .control: return .control(try WireJSON.decode(ControlEntry.self, from: message.body))
            case .order: return .order(try WireJSON.decode(UploadOrder.self, from: message.body))
            case .answer: return .answer(try WireJSON.decode(OrderAnswer.self, from: message.body))
            case .destination:
                return .destination(try WireJSON.decode(DestinationReport.self, from: message.body))
            case .worker: return .worker(try WireJSON.decode(WorkerReport.self, from: message.body))
            case .event(let kind):
                let event = try WireJSON.decode(UploadEvent.self, from: message.body)
                guard event.kind == kind else {
                    return .unreadable("the message says \(kind.type), its body says \(event.kind.type)")
                }
                return .event(event)
            case .newer(let text): return .newer(text)
            case .foreign:
                let found = message.type.map { "is '\(scrub(String($0.prefix(80))))'" } ?? "is missing"
                return .unreadable(
                    """
                    the message property 'type' \(found): expected \(WireType.jobText), \(WireType.batonText) or an \
                    event's type such as \(EventKind.completed.type)
                    """)
            }
        } catch {
            // Which error means "not JSON at all" differs between versions of Foundation, so the text is checked
            // directly.
            let isJSON = WireJSON.isJSON(message.body)
            // The error's text may quote the body.
            let why = isJSON ? explain(error).utf8Prefix(reasonBytesMaximum) : "the body is not JSON"
            return .unreadable("not \(message.type ?? ""): \(why)")
        }
    }

    private static func contentTypeProblem(_ message: Message, _ type: WireType) -> String? {
        guard let text = message.contentType, type != .foreign else { return nil }
        // The two types as Longshore writes them.
        if case .event = type, text == eventContentType { return nil }
        if text == contentType { return nil }
        let media = media(text)
        if media == contentType { return nil }
        if case .event = type, media == eventContentType { return nil }
        if case .event = type, media == batchContentType {
            return "the body is not a list of 1 to \(EventBatches<Message>.countMaximum) events"
        }
        return "the content type is '\(scrub(String(text.prefix(80))))': expected \(contentType)"
    }

    /// The media type without its parameters.
    private static func media(_ contentType: String) -> String {
        contentType.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    private static func sizeProblem(_ message: Message, _ type: WireType) -> String? {
        let maximum = type == .job ? WireLimits.jobBytesMaximum : WireLimits.bodyBytesMaximum
        guard message.body.count > maximum, type != .foreign else { return nil }
        return "the body has \(message.body.count) bytes: at most \(maximum) are read"
    }

    /// One line for a decoding error: at which field, and what was expected there.
    static func explain(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it cannot be decoded" }
        switch error {
        case .keyNotFound(let key, let context):
            return "the field '\(path(context.codingPath + [key]))' is missing"
        case .typeMismatch(let type, let context):
            return "the field '\(path(context.codingPath))' is not \(name(of: type))"
        case .valueNotFound(let type, let context):
            return "the field '\(path(context.codingPath))' is null: expected \(name(of: type))"
        case .dataCorrupted(let context):
            return "the field '\(path(context.codingPath))': \(scrub(context.debugDescription))"
        @unknown default: return "it cannot be decoded"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty
            ? "(the whole body)" : keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is Double.Type: "a number"
        case is any FixedWidthInteger.Type: "a whole number"
        case is any Collection.Type: "an object or an array"
        default: "of the expected kind (\(type))"
        }
    }

    /// A value may be at a wrong place, and a pre-signed URL is a credential: its query is removed.
    private static func scrub(_ text: String) -> String {
        text.replacing(#/\?[^\s'"]*/#.matchingSemantics(.unicodeScalar), with: "?…").replacing(exactly: "\n", with: " ")
    }
}
