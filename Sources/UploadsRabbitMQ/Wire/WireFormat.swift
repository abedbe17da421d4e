import Foundation
public import RabbitMQ
public import Uploads

/// Writes values as messages, and reads them.
///
/// Headers are built anew for every publish: Longshore's own and `traceparent`, never headers of a delivery. (The
/// broker would drop a baton with the `x-death` of an earlier wait as a cycle.)
public enum WireFormat {
    /// Set when the publisher cannot know whether an earlier try arrived.
    static let maybeRepeatedHeader = "maybeRepeated"
    /// In dead letters that a worker set aside: the reason.
    static let reasonHeader = "reason"

    /// In the same dead letters: the queue of origin.
    static let originHeader = "origin"
    /// In jobs and batons that one notifier forwards to another one from the dead letters: the cause of death, as JSON.
    static let causeHeader = "deathCause"
    /// In messages that are published again: the number of the dead letter.
    static let replayHeader = "replayOf"

    /// W3C Trace Context.
    static let traceHeader = TraceParent.header

    static let contentType = "application/json"
    /// Structured JSON mode of CloudEvents 1.0 (JSON event format, section 3).
    static let eventContentType = "application/cloudevents+json"
    /// Several events in a list (JSON event format, section 4).
    static let batchContentType = "application/cloudevents-batch+json"

    /// - Throws: `misconfigured` when JSON has no form for a value (an infinite number, say), or the message has more
    ///   bytes than its kind may have.
    public static func message(
        job: UploadJob, maybeRepeated: Bool = false, trace: TraceParent? = nil
    ) throws(UploadError) -> Message {
        let message = try message(job, WireType.jobText, id: job.id, headers: headers(maybeRepeated, trace))
        try job.check(bodyBytes: message.body.count)
        return message
    }

    public static func message(
        baton: Baton, maybeRepeated: Bool = false, trace: TraceParent? = nil
    ) throws(UploadError) -> Message {
        try message(baton, WireType.batonText, id: baton.job.id, headers: headers(maybeRepeated, trace))
    }

    public static func message(event: UploadEvent) throws(UploadError) -> Message {
        var message = try message(event, event.kind.type, id: event.job.id, headers: headers(false, event.trace))
        message.contentType = eventContentType
        message.isPersistent = event.kind != .progress
        return message
    }

    /// Messages that carry one event each, all of one kind, as one message.
    static func batch(_ events: [Message]) -> Message {
        guard events.count > 1 else { return events[0] }
        var body = Data(capacity: events.reduce(events.count + 1) { $0 + $1.body.count })
        for (index, event) in events.enumerated() {
            body.append(UInt8(ascii: index == 0 ? "[" : ","))
            body.append(event.body)
        }
        body.append(UInt8(ascii: "]"))
        return Message(
            body: body, contentType: batchContentType, isPersistent: events[0].isPersistent, type: events[0].type)
    }

    public static func message(marker: IssueMarker) throws(UploadError) -> Message {
        try message(marker, WireType.markerText, id: marker.job)
    }

    public static func message(entry: ControlEntry) throws(UploadError) -> Message {
        try message(entry, WireType.controlText, id: nil)
    }

    /// - Parameter replyTo: the queue for the answer.
    public static func message(order: UploadOrder, replyTo: String? = nil) throws(UploadError) -> Message {
        var message = try message(order, WireType.orderText, id: nil)
        message.messageID = order.id.uuidString.lowercased()
        message.correlationID = message.messageID
        message.replyTo = replyTo
        if order.command.isQuestion {
            message.isPersistent = false
            message.expiration = "\(Int(UploadOrder.questionPatience * 1000))"
        }
        return message
    }

    public static func message(answer: OrderAnswer) throws(UploadError) -> Message {
        var message = try message(answer, WireType.answerText, id: nil)
        message.correlationID = answer.order.uuidString.lowercased()
        message.isPersistent = false
        return message
    }

    public static func message(report: DestinationReport) throws(UploadError) -> Message {
        var message = try message(report, WireType.destinationText, id: nil)
        message.messageID = report.subject
        message.isPersistent = false
        return message
    }

    public static func message(worker report: WorkerReport) throws(UploadError) -> Message {
        var message = try message(report, WireType.workerText, id: nil)
        message.messageID = report.subject
        message.isPersistent = false
        return message
    }

    /// Bytes of the reason in a dead letter, at most.
    static let reasonBytesMaximum = 2000

    /// The dead letter for an unreadable message: the message, as much of it as the form allows, and the reason.
    /// - Parameter queue: the message's origin.
    static func deadLetter(
        _ message: Message, reason: String, from queue: String? = nil, form: DeadLetterForm = .whole
    ) -> Message {
        var headers: Table
        switch form {
        case .whole: headers = CarriedHeaders.table(kept(message.headers))
        case .withoutHeaders:
            headers = [CarriedHeaders.leftOutHeader: "the broker refused to take a dead letter with them"]
        case .bodyAlone:
            headers = [
                CarriedHeaders.leftOutHeader:
                    "the broker refused to take a dead letter with them or with the other properties"
            ]
        }
        headers[replayHeader] = replayNumber(of: message)
        // Header values are long strings; the bound is for the frame, and for readers.
        let why = headers[CarriedHeaders.leftOutHeader]?.string.map { "; its headers are left out, for \($0)" } ?? ""
        headers[reasonHeader] = .string(reason.utf8Prefix(reasonBytesMaximum) + why)
        headers[originHeader] = queue.map { .string($0) }
        guard form != .bodyAlone else { return Message(body: message.body, headers: headers) }
        var letter = Message(
            body: message.body, contentType: message.contentType, headers: headers, messageID: message.messageID,
            type: message.type)
        letter.contentEncoding = message.contentEncoding
        letter.correlationID = message.correlationID
        letter.appID = message.appID
        return letter
    }

    /// A header of that name may have any value: only a number is copied.
    private static func replayNumber(of message: Message) -> FieldValue? {
        message.headers[replayHeader]?.integer.map { .int64($0) }
    }

    /// The headers of a message that may be published again. Left out are the headers that the broker adds, those that
    /// steer it (`CC` and `BCC` are further routing keys), and those about this one publication.
    static func kept(_ headers: Table) -> Table {
        let own: Set = [maybeRepeatedHeader, reasonHeader, originHeader, replayHeader]
        return headers.filter { name, _ in
            !own.contains(name) && !name.lowercased().hasPrefix("x-") && name != "CC" && name != "BCC"
        }
    }

    /// The same message for a publication without changes.
    static func forwarded(_ message: Message, maybeRepeated: Bool) -> Message {
        var headers = headers(maybeRepeated, traceParent(of: message))
        headers[replayHeader] = replayNumber(of: message)
        return Message(
            body: message.body, contentType: message.contentType, headers: headers, messageID: message.messageID,
            type: message.type)
    }

    /// A message of a notifier's queue for another shard: what the ledger records of it, and for whom the answer is.
    /// - Parameter cause: of a job or baton that is a dead letter; nil: the cause that a forwarded one has already.
    static func forwarded(_ message: Message, cause: DeathCause? = nil) -> Message {
        var copy = forwarded(message, maybeRepeated: isMaybeRepeated(message))
        if let cause = cause ?? deathCause(of: message), let text = try? WireJSON.encode(cause) {
            copy.headers[causeHeader] = .string(String(decoding: text, as: UTF8.self))
        }
        copy.isPersistent = message.isPersistent
        copy.expiration = message.expiration
        copy.correlationID = message.correlationID
        copy.replyTo = message.replyTo
        return copy
    }

    /// - Returns: nil unless a notifier has forwarded the message from the dead letters.
    static func deathCause(of message: Message) -> DeathCause? {
        guard let text = message.headers[causeHeader]?.string, text.utf8.count <= 2 * reasonBytesMaximum else {
            return nil
        }
        return try? WireJSON.decode(DeathCause.self, from: Data(text.utf8))
    }

    static func isMaybeRepeated(_ message: Message) -> Bool { message.headers[maybeRepeatedHeader]?.bool == true }

    static func traceParent(of message: Message) -> TraceParent? {
        message.headers[traceHeader]?.string.flatMap(TraceParent.init)
    }

    private static func headers(_ maybeRepeated: Bool, _ trace: TraceParent?) -> Table {
        var headers = Table()
        if maybeRepeated { headers[maybeRepeatedHeader] = true }
        if let trace { headers[traceHeader] = .string(trace.description) }
        return headers
    }

    private static func message(
        _ value: some Encodable, _ type: String, id: JobID?, headers: Table = [:]
    ) throws(UploadError) -> Message {
        do {
            return Message(
                body: try WireJSON.encode(value), contentType: contentType, headers: headers,
                messageID: id?.rawValue, type: type)
        } catch {
            throw UploadError(
                .misconfigured, "a value of \(type) cannot be written as JSON: look for a number that is infinite",
                cause: error)
        }
    }
}
