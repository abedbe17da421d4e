import Synchronization
import Uploads

/// The paces of a worker's destinations: of those that the configuration names, for only they have limits.
final class TransferPaces: Sendable {
    private let paces = Mutex<[DestinationName: TransferPace]>([:])
    private let destinations: any DestinationProvider
    private let clock: any Clock<Duration>

    init(destinations: any DestinationProvider, clock: any Clock<Duration>) {
        self.destinations = destinations
        self.clock = clock
    }

    func pace(of reference: DestinationReference) -> TransferPace? {
        guard case .named(let name, _) = reference else { return nil }
        return paces.withLock { paces in
            if let pace = paces[name] { return pace }
            // Asked anew each time: a reload of the configuration changes what holds, for who waits already as well.
            let pace = TransferPace(clock: clock) { [destinations] in
                (try? destinations.destination(for: reference))?.limits ?? TransferLimits()
            }
            paces[name] = pace
            return pace
        }
    }
}
