import Foundation
import Testing
import Uploads

extension LedgerConformance {
    // MARK: Figures for metrics

    static let figures = [
        Rule("the oldest outcome that a delegate has not taken is known, for each that has one") { suite in
            let ledger = try await suite.make()
            #expect(try await ledger.oldestUndelivered().isEmpty)
            let routes = ["hook", "other"].map { DeliveryRoute(delegate: $0) }
            for number in 0..<3 {
                _ = try await ledger.record(
                    [event(.completed, makeJob("\(number)"))], view: ControlView(),
                    routes: number == 0 ? [routes[0]] : routes, now: start + Double(number) * 100)
            }
            #expect(try await ledger.oldestUndelivered() == ["hook": start, "other": start + 100])
            let first = try #require(
                try await ledger.deliveries(DeliveryListing()).last { $0.delegate == "hook" && $0.createdAt == start })
            // An attempt that failed changes nothing.
            try await ledger.failed([first.id], attempt: deliveryAttempt(10, error: "down"), dueAt: start + 1000)
            #expect(try await ledger.oldestUndelivered()["hook"] == start)
            try await ledger.delivered([first.id], at: start + 20, attempt: nil)
            #expect(try await ledger.oldestUndelivered() == ["hook": start + 100, "other": start + 100])
            _ = try await ledger.forget("other")
            #expect(try await ledger.oldestUndelivered() == ["hook": start + 100])
        },
        Rule("a ledger tells how much room it takes, and the room grows with it") { suite in
            let ledger = try await suite.make()
            let empty = try await ledger.space()
            #expect(empty.bytes > 0)
            #expect(empty.freeBytes.map { $0 > 0 } ?? true)
            try await record((0..<2000).map { event(.completed, makeJob("\($0)")) }, in: ledger)
            #expect(try await ledger.space().bytes > empty.bytes)
        },
    ]
}
