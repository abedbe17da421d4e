import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite("Handing back in order", .timeLimit(.minutes(10))) struct HandBackTests {
    @Test(arguments: 0..<20) func `what is handed back all at once goes in the order of delivery`(_: Int) async {
        let line = HandBack()
        let order = Box<[Int]>([])
        let tickets = (0..<20).map { ($0, line.take(in: .normal)) }
        await withTaskGroup(of: Void.self) { group in
            for (number, ticket) in tickets.shuffled() {
                group.addTask {
                    await line.waitForTurn(of: ticket, patience: .seconds(3600))
                    order.change { $0.append(number) }
                    line.finish(ticket)
                }
            }
        }
        #expect(order.value == Array(0..<20))
    }

    @Test func `it waits for what was delivered before and still runs`() async {
        let line = HandBack()
        let running = line.take(in: .normal)
        let ticket = line.take(in: .normal)
        let done = Box(false)
        async let turn: Void = {
            await line.waitForTurn(of: ticket, patience: .seconds(3600))
            #expect(done.value)
        }()
        done.change { $0 = true }
        line.finish(running)
        await turn
    }

    @Test func `without patience only what is handed back as well goes first`() async {
        let line = HandBack()
        _ = line.take(in: .normal)
        let first = line.take(in: .normal)
        let second = line.take(in: .normal)
        let order = Box<[Int]>([])
        // It has had its turn and is still being published.
        await line.waitForTurn(of: first, patience: .zero)
        async let turn: Void = {
            await line.waitForTurn(of: second, patience: .zero)
            order.change { $0.append(2) }
        }()
        order.change { $0.append(1) }
        line.finish(first)
        await turn
        #expect(order.value == [1, 2])
    }

    @Test func `what comes from a lane that goes first goes back first, though it was delivered later`() async {
        let line = HandBack()
        let order = Box<[Lane]>([])
        let tickets = [Lane.bulk, .normal, .continued].map { ($0, line.take(in: $0)) }
        await withTaskGroup(of: Void.self) { group in
            for (lane, ticket) in tickets {
                group.addTask {
                    await line.waitForTurn(of: ticket, patience: .seconds(3600))
                    order.change { $0.append(lane) }
                    line.finish(ticket)
                }
            }
        }
        #expect(order.value == [.continued, .normal, .bulk])
    }
}
