import Testing

@testable import RabbitMQ

@Suite(.timeLimit(.minutes(10)))
struct PromiseTests {
    @Test func `The first result counts, whether it comes before the wait or after`() async throws {
        let early = Promise<Int>()
        #expect(early.resolve(.success(1)))
        #expect(!early.resolve(.success(2)))
        #expect(try await early.value() == 1)

        let late = Promise<Int>()
        let waiting = Task { try await late.value() }
        late.resolve(.success(3))
        #expect(try await waiting.value == 3)
    }

    @Test func `Cancellation, result and wait may cross in any order, and the waiter always returns`() async {
        for _ in 0..<500 {
            let promise = Promise<Int>()
            let waiting = Task { try await promise.value() }
            async let resolved = Task { promise.resolve(.success(7)) }.value
            waiting.cancel()
            let isFirst = await resolved
            switch await waiting.result {
            case .success(let value): #expect(isFirst && value == 7)
            case .failure(let error): #expect((error as? RabbitMQError)?.code == .cancelled && !isFirst)
            }
        }
    }

    @Test func `A consumer's readers all return when it ends, and a cancelled one loses nothing`() async throws {
        let consumer = ConsumerCore(
            queue: "q", tag: "t", prefetch: 1, isExclusive: false, arguments: [:], stream: nil)
        let cancelled = Task { try await consumer.next() }
        cancelled.cancel()
        #expect(try await cancelled.value == nil)
        let delivery = Delivery(
            message: Message(), exchange: "", routingKey: "", consumerTag: "t", tag: 1, redelivered: false, epoch: 1,
            incarnation: 1)
        consumer.deliver([delivery])
        #expect(try await consumer.next()?.count == 1)
        let readers = (0..<5).map { _ in Task { try await consumer.next() } }
        consumer.end(.failure(RabbitMQError(.consumerCancelled, "x")))
        for reader in readers {
            let result = await reader.result
            #expect(throws: RabbitMQError.self) { try result.get() }
        }
    }
}
