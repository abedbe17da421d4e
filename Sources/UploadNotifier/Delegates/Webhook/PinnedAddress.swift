import Synchronization
import Uploads

/// The checked address of a host to which requests go, whatever the resolver answers a moment later.
final class PinnedAddress: Sendable {
    /// For this long a look-up counts, so that all deliveries of a second share one.
    static let checkInterval = Duration.seconds(1)

    private struct Pin {
        let address: NetworkAddress
        /// The number of misses when the address was chosen.
        let misses: Int
        var checkedAt: ContinuousClock.Instant
    }

    private struct State {
        var pin: Pin?
        var misses = 0
    }

    private let host: String
    private let addresses: AddressGuard
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(of host: String, _ addresses: AddressGuard, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now })
    {
        self.host = host
        self.addresses = addresses
        self.now = now
    }

    /// - Throws: the errors of ``AddressGuard/addresses(of:)``.
    func current() async throws(UploadError) -> NetworkAddress {
        let checked = state.withLock { state -> NetworkAddress? in
            guard let pin = state.pin, pin.misses == state.misses,
                pin.checkedAt.duration(to: now()) < Self.checkInterval
            else { return nil }
            return pin.address
        }
        if let checked { return checked }
        let found = try await addresses.addresses(of: host)
        return state.withLock { state in
            // Resolvers rotate the list with every answer; that alone is no reason to connect anew.
            let kept = state.pin.flatMap { $0.misses == state.misses && found.contains($0.address) ? $0.address : nil }
            let address = kept ?? found[state.misses % found.count]
            state.pin = Pin(address: address, misses: state.misses, checkedAt: now())
            return address
        }
    }

    /// To be called for an attempt without an answer: the next one goes to the host's next address.
    func miss() { state.withLock { $0.misses &+= 1 } }
}
