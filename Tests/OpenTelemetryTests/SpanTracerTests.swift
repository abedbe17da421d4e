import Foundation
import Synchronization
import Testing
import TraceContexts
import Tracing
import Uploads

@testable import OpenTelemetry

@Suite struct SpanTracerTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private final class Taken: Sendable {
        let records = Mutex<[RecordedSpan.Record]>([])
        var names: [String] { records.withLock { $0.map(\.name) } }
    }

    private struct Headers: Extractor, Injector {
        func extract(key: String, from headers: [String: String]) -> String? { headers[key] }
        func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
    }

    private func tracer(_ sampler: Sampler = .parentBased(.always), propagates: Bool = true) -> (SpanTracer, Taken) {
        let taken = Taken()
        return (
            SpanTracer(
                sampler: sampler, propagates: propagates, limits: RecordedSpan.Limits(events: 2, links: 1)
            ) { record in taken.records.withLock { $0.append(record) } }, taken
        )
    }

    private func context(_ tracer: SpanTracer, _ parent: String?) -> ServiceContext {
        var context = ServiceContext.topLevel
        if let parent { tracer.extract(["traceparent": parent], into: &context, using: Headers()) }
        return context
    }

    private func sent(_ tracer: SpanTracer, _ context: ServiceContext) -> String? {
        var headers: [String: String] = [:]
        tracer.inject(context, into: &headers, using: Headers())
        return headers["traceparent"]
    }

    @Test func `a span follows the one that a message names, and names itself to others`() throws {
        let (tracer, taken) = tracer()
        let span = tracer.startSpan("a", context: context(tracer, Self.parent))
        span.end()
        let record = try #require(taken.records.withLock { $0.first })
        #expect(record.place.trace.text == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(record.parent?.span.text == "00f067aa0ba902b7" && record.parent?.isRemote == true)
        #expect(sent(tracer, span.context) == "00-4bf92f3577b34da6a3ce929d0e0e4736-\(record.place.span.text)-01")
    }

    @Test func `a trace that begins with a job has the job's id`() throws {
        let (tracer, taken) = tracer()
        let job = try #require(JobID("0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b"))
        tracer.startSpan("a", context: .trace(of: job, after: nil)).end()
        #expect(taken.records.withLock { $0.first?.place.trace.text } == "0199a1b2c3d47e5f8a6b7c8d9e0f1a2b")
        #expect(taken.records.withLock { $0.first?.parent } == nil)
    }

    @Test(arguments: [
        (Sampler.parentBased(.always), "00", false), (.parentBased(.never), "01", true), (.root(.always), "00", true),
        (.root(.never), "01", false),
    ])
    func `the sampler decides, and the decision goes on with the trace`(
        sampler: Sampler, flags: String, isSampled: Bool
    ) throws {
        let (tracer, taken) = tracer(sampler)
        let span = tracer.startSpan("a", context: context(tracer, Self.parent.dropLast(2) + flags))
        #expect(span.isRecording == isSampled)
        #expect(try #require(sent(tracer, span.context)).hasSuffix(isSampled ? "-01" : "-00"))
        span.end()
        #expect(taken.names == (isSampled ? ["a"] : []))
    }

    @Test func `a ratio takes its share of traces, and the same ones everywhere`() throws {
        let ids = (0..<20_000).map { _ in TraceID() }
        for share in [0, 0.1, 0.5, 1] {
            let taken = ids.filter { Sampler.root(.ratio(share)).isSampled($0, parent: nil) }
            // Four standard deviations.
            let deviation = 4 * (share * (1 - share) * Double(ids.count)).squareRoot()
            #expect(abs(Double(taken.count) - share * Double(ids.count)) <= deviation)
            #expect(taken == ids.filter { Sampler.root(.ratio(share)).isSampled($0, parent: nil) })
        }
        // The ids of jobs are as good as random ones.
        let jobs = try (0..<20_000).map { _ in try #require(TraceID(JobID())) }
        let share = jobs.filter { Sampler.root(.ratio(0.25)).isSampled($0, parent: nil) }.count
        #expect(abs(Double(share) - 5000) < 4 * 61.2)
    }

    @Test func `without a propagator no place is read or written`() {
        let (tracer, _) = tracer(propagates: false)
        let span = tracer.startSpan("a", context: context(tracer, Self.parent))
        #expect(span.context[CurrentSpan.self]?.trace.text != "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(sent(tracer, span.context) == nil)
    }

    @Test func `a span ends once, and has no more events and links than it may`() throws {
        let (tracer, taken) = tracer()
        let other = tracer.startSpan("other", context: .topLevel)
        let span = tracer.startSpan("a", context: .topLevel)
        for number in 0..<3 { span.addEvent(SpanEvent(name: "\(number)")) }
        for _ in 0..<2 { span.addLink(other) }
        span.end()
        span.end()
        span.attributes["late"] = true
        let record = try #require(taken.records.withLock { $0.first })
        #expect(taken.names == ["a"] && record.events.map(\.name) == ["0", "1"] && record.links.count == 1)
        #expect(record.droppedEvents == 1 && record.droppedLinks == 1 && record.endedAt >= record.beganAt)
    }

    @Test func `the queue has a bound, and counts what it drops`() {
        let (tracer, taken) = tracer()
        for number in 0..<5 { tracer.startSpan("\(number)", context: .topLevel).end() }
        var queue = SpanQueue(maximum: 4, batchMaximum: 3)
        for record in taken.records.withLock({ $0 }) { queue.append(record) }
        #expect(queue.takeDropped() == 1 && queue.hasBatch)
        let batch = queue.takeBatch()
        #expect(batch.map(\.name) == ["0", "1", "2"] && !queue.hasBatch && queue.count == 1)
        queue.putBack(batch)
        #expect(queue.takeBatch().map(\.name) == ["0", "1", "2"] && queue.takeBatch().map(\.name) == ["3"])
        #expect(queue.count == 0 && queue.takeDropped() == 0)
    }
}
