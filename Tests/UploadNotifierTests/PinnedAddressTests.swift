import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

struct PinnedAddressTests {
    private static let (first, second) = (
        NetworkAddress(bytes: [93, 184, 216, 34]), NetworkAddress(bytes: [93, 184, 216, 35])
    )

    /// What the resolver answers, how often it was asked, and the time.
    private struct World: Sendable {
        var answer = [PinnedAddressTests.first, PinnedAddressTests.second]
        var lookUps = 0
        var now = ContinuousClock.now
    }

    private let world = Box(World())

    private var pinned: PinnedAddress {
        let world = self.world
        let addresses = AddressGuard(
            allowed: [],
            resolve: { _ in
                world.change { $0.lookUps += 1 }
                return world.value.answer
            })
        return PinnedAddress(of: "hooks.example", addresses) { world.value.now }
    }

    @Test func `deliveries of the same second share a look-up, and the next second sees what has changed`() async throws
    {
        let pinned = self.pinned
        for _ in 0..<3 { #expect(try await pinned.current() == Self.first) }
        #expect(world.value.lookUps == 1)
        world.change { world in
            world.answer.reverse()
            world.now += PinnedAddress.checkInterval
        }
        #expect(try await pinned.current() == Self.first)
        #expect(world.value.lookUps == 2)
        world.change { world in
            world.answer = [Self.second]
            world.now += PinnedAddress.checkInterval
        }
        #expect(try await pinned.current() == Self.second)
        world.change { world in
            world.answer = [NetworkAddress(bytes: [10, 0, 0, 1])]
            world.now += PinnedAddress.checkInterval
        }
        await #expect(throws: UploadError.self) { try await pinned.current() }
    }

    @Test func `an attempt without an answer leads to another address at once`() async throws {
        let pinned = self.pinned
        #expect(try await pinned.current() == Self.first)
        pinned.miss()
        #expect(try await pinned.current() == Self.second)
        pinned.miss()
        #expect(try await pinned.current() == Self.first)
    }
}
