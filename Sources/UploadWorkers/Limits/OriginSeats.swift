import Synchronization
import Uploads

/// Keeps the number of jobs that read from a destination at once to the destination's limit of jobs.
final class OriginSeats: Sendable {
    /// A seat that a slice has taken, and gives back once.
    struct Seat: Sendable {
        fileprivate let place: DestinationReference
        fileprivate let name: DestinationName
    }

    private struct Place: Sendable {
        var taken = 0
        /// The waiting slices, in order.
        var waiting: [Waiting] = []

        mutating func sit(within limit: Int) -> Bool {
            guard taken < limit else { return false }
            taken += 1
            return true
        }
    }

    private struct Waiting: Sendable {
        let id: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State: Sendable {
        var nextID: UInt64 = 0
        var places: [DestinationName: Place] = [:]
        /// Slices that are about to wait.
        var coming: Set<UInt64> = []
    }

    /// How long a slice waits for a seat. Then it goes back to the broker, and its slot is free for another destination's job.
    static let patience = Duration.seconds(10)

    private let clock: any Clock<Duration>
    private let limit: @Sendable (DestinationReference) -> Int?
    private let state = Mutex(State())

    /// - Parameter limit: the jobs that may read there at once at this moment; nil for any number. Called often.
    init(clock: any Clock<Duration>, limit: @escaping @Sendable (DestinationReference) -> Int?) {
        self.clock = clock
        self.limit = limit
    }

    /// Takes a seat at a configured destination.
    /// - Returns: nil where none became free in time, and for a cancelled caller.
    func take(at place: DestinationReference, _ name: DestinationName) async -> Seat? {
        let seat = Seat(place: place, name: name)
        let most = limit(place) ?? .max
        let id = state.withLock { state -> UInt64? in
            if state.places[name, default: Place()].waiting.isEmpty,
                state.places[name, default: Place()].sit(within: most)
            {
                return nil
            }
            state.nextID += 1
            state.coming.insert(state.nextID)
            return state.nextID
        }
        guard let id else { return seat }
        let alarm = Task { [clock] in
            guard (try? await clock.sleep(for: Self.patience)) != nil else { return }
            end(id, at: name)
        }
        defer { alarm.cancel() }
        let isSeated = await withTaskCancellationHandler {
            await wait(id, for: seat, most)
        } onCancel: {
            end(id, at: name)
        }
        return isSeated ? seat : nil
    }

    func giveBack(_ seat: Seat) {
        let most = limit(seat.place) ?? .max
        let next = state.withLock { state -> [Waiting] in
            guard var place = state.places[seat.name] else { return [] }
            place.taken -= 1
            var next: [Waiting] = []
            while !place.waiting.isEmpty, place.sit(within: most) { next.append(place.waiting.removeFirst()) }
            state.places[seat.name] = place.taken == 0 && place.waiting.isEmpty ? nil : place
            return next
        }
        for waiting in next { waiting.continuation.resume(returning: true) }
    }

    private func wait(_ id: UInt64, for seat: Seat, _ most: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                guard state.coming.remove(id) != nil else { return false }
                // A seat may have become free in between.
                if state.places[seat.name, default: Place()].sit(within: most) { return true }
                state.places[seat.name, default: Place()].waiting.append(Waiting(id: id, continuation: continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func end(_ id: UInt64, at name: DestinationName) {
        let waiting = state.withLock { state -> Waiting? in
            state.coming.remove(id)
            guard let index = state.places[name]?.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.places[name]?.waiting.remove(at: index)
        }
        waiting?.continuation.resume(returning: false)
    }
}
