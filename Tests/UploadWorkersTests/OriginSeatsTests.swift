import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct OriginSeatsTests {
    private let clock = ManualClock()
    private let name = DestinationName(unchecked: "stage")
    private var place: DestinationReference { .named(name, key: "copy") }

    @Test func `without a limit every job reads`() async {
        let seats = OriginSeats(clock: clock) { _ in nil }
        for _ in 0..<100 { #expect(await seats.take(at: place, name) != nil) }
    }

    @Test func `a seat that is given back goes to the first that waits`() async throws {
        let seats = OriginSeats(clock: clock) { _ in 2 }
        let taken = [await seats.take(at: place, name), await seats.take(at: place, name)].compactMap(\.self)
        #expect(taken.count == 2)
        let seated = Box<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask {
                    guard let seat = await seats.take(at: place, name) else { return }
                    seated.change { $0.append(number) }
                    seats.giveBack(seat)
                }
                try await eventually { clock.sleeperCount == number + 1 }
            }
            #expect(seated.value.isEmpty)
            seats.giveBack(taken[0])
            try await group.waitForAll()
        }
        #expect(seated.value == [0, 1, 2])
        let other = DestinationName(unchecked: "other")
        #expect(await seats.take(at: .named(other, key: "x"), other) != nil)
    }

    @Test func `who waits too long, or is cancelled, goes without a seat and takes none`() async throws {
        let seats = OriginSeats(clock: clock) { _ in 1 }
        let seat = try #require(await seats.take(at: place, name))
        async let late = seats.take(at: place, name)
        try await eventually { clock.sleeperCount == 1 }
        clock.advance(by: OriginSeats.patience)
        #expect(await late == nil)
        let cancelled = Task { await seats.take(at: place, name) }
        try await eventually { clock.sleeperCount == 1 }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        seats.giveBack(seat)
        #expect(await seats.take(at: place, name) != nil)
    }

    @Test func `a raised limit lets more in with the next seat that is given back`() async throws {
        let limit = Mutex(1)
        let seats = OriginSeats(clock: clock) { _ in limit.withLock { $0 } }
        let seat = try #require(await seats.take(at: place, name))
        async let one = seats.take(at: place, name)
        async let two = seats.take(at: place, name)
        try await eventually { clock.sleeperCount == 2 }
        limit.withLock { $0 = 2 }
        seats.giveBack(seat)
        #expect(await one != nil)
        #expect(await two != nil)
    }
}
