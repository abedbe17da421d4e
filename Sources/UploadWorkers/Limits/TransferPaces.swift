import Synchronization
import Uploads

/// The paces of those destinations that the configuration names; only these have limits.
final class TransferPaces: Sendable {
    private let paces = Mutex<[DestinationName: TransferPace]>([:])
    private let destinations: any DestinationProvider
    private let clock: any Clock<Duration>
    private let changed: @Sendable (_ destination: String, _ isWaiting: @escaping @Sendable () -> Bool) -> Void

    /// - Parameter changed: called when the first slice begins to wait for a destination's limits, and when the last one has left.
    init(
        destinations: any DestinationProvider, clock: any Clock<Duration>,
        changed: @escaping @Sendable (_ destination: String, _ isWaiting: @escaping @Sendable () -> Bool) -> Void = {
            _, _ in
        }
    ) {
        self.changed = changed
        self.destinations = destinations
        self.clock = clock
    }

    func pace(of reference: DestinationReference) -> TransferPace? {
        guard case .named(let name, _) = reference else { return nil }
        return paces.withLock { paces in
            if let pace = paces[name] { return pace }
            // The limits are read anew each time: a reload of the configuration holds also for slices that wait already.
            let pace = TransferPace(clock: clock) { [changed] isWaiting in
                changed(reference.label, isWaiting)
            } limits: { [destinations] in
                (try? destinations.destination(for: reference))?.limits ?? TransferLimits()
            }
            paces[name] = pace
            return pace
        }
    }
}
