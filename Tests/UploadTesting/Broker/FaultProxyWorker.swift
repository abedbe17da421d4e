import Foundation
import Glibc
import Synchronization

/// The thread of a `FaultProxy`: one poll loop over all connections.
final class FaultProxyWorker: Sendable {
    /// One direction of one connection.
    private struct Flow {
        var source: CInt
        var target: CInt
        var direction: FaultProxy.Direction
        var held: [(due: ContinuousClock.Instant, bytes: ArraySlice<UInt8>, roundTrips: Int)] = []
        var hasEnded = false
        /// The round trips before the connection was established.
        var openedAfter: Int
        /// The last received bytes, in which a landmark may begin that ends in the next ones.
        var tail: [UInt8] = []
        var heldBytes: Int { held.reduce(0) { $0 + $1.bytes.count } }
    }

    private static let heldBytesMaximum = 4 << 20

    let settings = Mutex(FaultProxy.Settings())
    private let listener: CInt
    private let brokerPort: Int
    private let waking: (reading: CInt, writing: CInt)

    init(listener: CInt, brokerPort: Int) throws {
        self.listener = listener
        self.brokerPort = brokerPort
        waking = try Spawn.pipe()
        _ = fcntl(waking.reading, F_SETFL, O_NONBLOCK)
        _ = fcntl(waking.writing, F_SETFL, O_NONBLOCK)
    }

    deinit {
        Glibc.close(waking.reading)
        Glibc.close(waking.writing)
    }

    func start() { Thread.detachNewThread { self.run() } }

    func wake() {
        var byte: UInt8 = 0
        _ = write(waking.writing, &byte, 1)
    }

    private func run() {
        var pairs: [[Flow]] = []
        var cutsDone = 0
        defer {
            Self.close(&pairs)
            Glibc.close(listener)
        }
        while true {
            let now = settings.withLock(\.self)
            if now.isStopped { return }
            if now.cutRequests > cutsDone {
                cutsDone = now.cutRequests
                Self.close(&pairs)
            }
            var descriptors = [pollfd(fd: waking.reading, events: CShort(POLLIN), revents: 0)]
            descriptors.append(pollfd(fd: listener, events: CShort(POLLIN), revents: 0))
            var timeout: CInt = -1
            if !now.isStalled {
                for flow in pairs.joined() where !now.holds(flow.direction) {
                    if !flow.hasEnded, flow.heldBytes < Self.heldBytesMaximum {
                        descriptors.append(pollfd(fd: flow.source, events: CShort(POLLIN), revents: 0))
                    }
                    if let first = flow.held.first {
                        if first.due <= .now {
                            descriptors.append(pollfd(fd: flow.target, events: CShort(POLLOUT), revents: 0))
                        } else {
                            timeout = 1
                        }
                    }
                }
            }
            guard poll(&descriptors, nfds_t(descriptors.count), timeout) >= 0 || errno == EINTR else { return }
            var drained = [UInt8](repeating: 0, count: 64)
            while read(waking.reading, &drained, drained.count) > 0 {}
            if descriptors[1].revents != 0 { accept(&pairs) }
            if settings.withLock({ $0.isStalled || $0.cutRequests > cutsDone }) { continue }
            if !pass(&pairs, descriptors) {
                Self.close(&pairs)
                settings.withLock { $0.bytesLeft = nil }
            }
        }
    }

    private func accept(_ pairs: inout [[Flow]]) {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return }
        guard !settings.withLock(\.refuses), let broker = try? LoopbackSocket.connect(port: brokerPort) else {
            Glibc.close(client)
            return
        }
        for descriptor in [client, broker] {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var one: CInt = 1
            setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        }
        // Connecting is a round trip of its own.
        let openedAfter = settings.withLock { settings in
            settings.connections += 1
            return settings.seenByClient + 1
        }
        pairs.append([
            Flow(source: client, target: broker, direction: .toBroker, openedAfter: openedAfter),
            Flow(source: broker, target: client, direction: .toClient, openedAfter: openedAfter),
        ])
    }

    /// Passes on the bytes that can be passed on. - Returns: false when the agreed number of bytes has passed.
    private func pass(_ pairs: inout [[Flow]], _ polled: [pollfd]) -> Bool {
        let readable = Set(polled.filter { CInt($0.revents) & ~POLLOUT != 0 }.map(\.fd))
        let now = settings.withLock(\.self)
        var buffer = [UInt8](repeating: 0, count: 65536)
        for pair in pairs.indices {
            var isBroken = false
            for index in pairs[pair].indices where !now.holds(pairs[pair][index].direction) {
                if readable.contains(pairs[pair][index].source), !pairs[pair][index].hasEnded {
                    let count = recv(pairs[pair][index].source, &buffer, buffer.count, 0)
                    if count > 0 {
                        let roundTrips = roundTrips(before: pairs[pair][index])
                        look(in: &pairs[pair][index], at: buffer[..<count], after: roundTrips)
                        pairs[pair][index].held.append((.now + now.delay, buffer[..<count], roundTrips))
                    } else if count == 0 {
                        pairs[pair][index].hasEnded = true
                    } else if errno != EAGAIN {
                        isBroken = true
                    }
                }
                switch send(&pairs[pair][index]) {
                case .going: break
                case .broken: isBroken = true
                case .cut: return false
                }
                if pairs[pair][index].hasEnded, pairs[pair][index].held.isEmpty { isBroken = true }
            }
            if isBroken {
                for flow in pairs[pair] { Glibc.close(flow.source) }
                pairs[pair] = []
            }
        }
        pairs.removeAll(where: \.isEmpty)
        return true
    }

    /// The number of round trips that led to the next bytes. All that the client has received, on any connection, leads to the bytes that
    /// it sends; an answer of the broker is one round trip more than the bytes that the broker has received.
    private func roundTrips(before flow: Flow) -> Int {
        settings.withLock { settings in
            switch flow.direction {
            case .toBroker: max(settings.seenByClient, flow.openedAfter)
            case .toClient: settings.seenByBroker + 1
            }
        }
    }

    private func look(in flow: inout Flow, at bytes: ArraySlice<UInt8>, after roundTrips: Int) {
        guard flow.direction == .toBroker else { return }
        settings.withLock { settings in
            guard let longest = settings.landmarks.keys.map(\.count).max() else { return }
            let seen = flow.tail + bytes
            for landmark in settings.landmarks.filter({ $0.value == nil }).keys
            where Data(seen).range(of: Data(landmark)) != nil {
                settings.landmarks[landmark] = roundTrips
            }
            flow.tail = seen.suffix(longest - 1)
        }
    }

    private enum Sent {
        case going
        case broken
        case cut
    }

    private func send(_ flow: inout Flow) -> Sent {
        while let first = flow.held.first, first.due <= .now {
            let direction = flow.direction
            let allowed = settings.withLock { settings -> Int in
                guard let left = settings.bytesLeft, settings.counted == nil || settings.counted == direction else {
                    return .max
                }
                return left
            }
            if allowed <= 0 { return .cut }
            let count = first.bytes.withUnsafeBytes {
                Glibc.send(flow.target, $0.baseAddress, min($0.count, allowed), CInt(MSG_NOSIGNAL))
            }
            if count < 0 { return errno == EAGAIN ? .going : .broken }
            settings.withLock { settings in
                switch direction {
                case .toBroker:
                    settings.bytesToBroker += count
                    settings.seenByBroker = max(settings.seenByBroker, first.roundTrips)
                case .toClient:
                    settings.bytesToClient += count
                    settings.seenByClient = max(settings.seenByClient, first.roundTrips)
                }
                if let left = settings.bytesLeft, settings.counted == nil || settings.counted == direction {
                    settings.bytesLeft = left - count
                }
            }
            if count == first.bytes.count {
                flow.held.removeFirst()
            } else {
                flow.held[0].bytes = first.bytes.dropFirst(count)
            }
            if allowed != .max, allowed - count <= 0 { return .cut }
        }
        return .going
    }

    private static func close(_ pairs: inout [[Flow]]) {
        for flow in pairs.joined() { Glibc.close(flow.source) }
        pairs = []
    }
}
