import Foundation
import Testing
import Uploads

@Suite struct ShardsTests {
    @Test func `only 1, 4 and 16 shards`() {
        #expect((-1...64).filter { Shards($0) != nil } == [1, 4, 16])
    }

    @Test(arguments: [1, 4, 16]) func `each digit is of one shard, and a job of the shard of its digit`(_ count: Int)
        throws
    {
        let shards = try #require(Shards(count))
        #expect(shards.all.flatMap { shards.digits(of: $0) }.sorted() == Shards.digits)
        for _ in 0..<200 {
            let job = JobID()
            #expect(job.rawValue.hasSuffix(job.digitText))
            #expect(shards.digits(of: shards.shard(of: job)).contains(job.digitText))
        }
    }

    /// The rule of the page "Wire format", by which programs in other languages choose ids.
    @Test(arguments: [("default", "5"), ("a", "1"), ("ship", "4"), ("p", "0")])
    func `the digit of a line is the sum of the bytes of its name`(_ name: String, _ digit: String) throws {
        let queue = try QueueName(name)
        #expect(queue.lineDigit == digit)
        let job = JobID()
        #expect(job.inLine(of: queue).rawValue == job.rawValue.dropLast() + digit)
    }
}

@Suite struct OrderPartTests {
    private let shards = Shards(4) ?? .one
    private func jobs(_ digits: String) -> [JobID] { digits.map { JobID("019a0000-0000-7000-8000-00000000000\($0)")! } }

    @Test func `each job of an order is in the part of its shard, in its order`() throws {
        let order = UploadOrder(.jobs(.cancel, jobs("f37b0")), by: "jo@host")
        #expect(order.shards(of: shards) == [0, 3])
        let part = try #require(order.part(3, of: shards))
        #expect(part.command == .jobs(.cancel, jobs("f37b")))
        #expect(part.part?.order == order.id && part.part?.shard == 3 && part.part?.count == 2)
        #expect(order.part(1, of: shards) == nil)
        #expect(order.part(0, of: shards)?.command == .jobs(.cancel, jobs("0")))
    }

    @Test func `the parts of a filter divide the digits, and a filter that names digits has the parts of these`() throws
    {
        let all = UploadOrder(.matching(.pause, OrderFilter(batch: "b"), atMost: 7), by: "jo@host")
        let digits = try shards.all.map { shard in
            let part = try #require(all.part(shard, of: shards))
            guard case .matching(.pause, let filter, nil) = part.command else { return "" }
            #expect(filter.batch == "b")
            return filter.digits ?? ""
        }
        #expect(digits == ["048c", "159d", "26ae", "37bf"])
        let some = UploadOrder(.matching(.pause, OrderFilter(digits: "4c9"), atMost: nil), by: "jo@host")
        #expect(some.shards(of: shards) == [0, 1])
    }

    @Test func `a part that comes again has the same id, and each part its own`() {
        let order = UploadOrder(.ask(jobs("0123456789abcdef")), by: "jo@host")
        let sixteen = Shards(16) ?? .one
        let ids = sixteen.all.compactMap { order.part($0, of: sixteen)?.id }
        #expect(Set(ids).count == 16 && !ids.contains(order.id))
        #expect(ids == sixteen.all.compactMap { order.part($0, of: sixteen)?.id })
    }

    @Test func `the answers of the shards make one answer, with the jobs in the order in which they were named`() throws
    {
        let order = UploadOrder(.jobs(.pause, jobs("f37b0")), by: "jo@host")
        let answers = try order.shards(of: shards).map { shard in
            let part = try #require(order.part(shard, of: shards))
            var answer = OrderAnswer(order: part.id)
            guard case .jobs(_, let jobs) = part.command else { return answer }
            answer.add(jobs.map { OrderAnswer.Job(id: $0, reason: $0.digitText == "7" ? "it has ended" : nil) })
            return answer.sharing(part.part)
        }
        #expect(answers.map(\.order) == [order.id, order.id])
        #expect(answers.map(\.shard) == [0, 3] && answers.map(\.answers) == [2, 2])
        let whole = OrderAnswer(to: order, of: answers.reversed())
        #expect(whole.jobs.map(\.id) == jobs("f37b0"))
        #expect(whole.matched == 5 && whole.done == 4 && whole.order == order.id)
        #expect(whole.shard == nil && whole.answers == nil)
    }

    @Test(arguments: ["\"\"", "\"g\"", "\"A\"", "\"00112233445566778\"", "7"])
    func `digits that are none are refused`(_ text: String) {
        #expect(throws: (any Error).self) {
            try WireJSON.decode(OrderFilter.self, from: Data("{\"digits\": \(text)}".utf8))
        }
    }

    @Test func `the digits of a filter are on the wire`() throws {
        let filter = OrderFilter(queue: .standard, digits: "37bf")
        #expect(try WireJSON.decode(OrderFilter.self, from: try WireJSON.encode(filter)) == filter)
    }
}
