import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// States of open sessions that a baton may carry: damaged ones are refused, or written again as they were read.
@Suite(.timeLimit(.minutes(600))) struct StateFuzzTests {
    private struct Driver: Sendable {
        let sample: UploadState
        /// Reads a state, makes the plan of its session, and writes the state again; nil where it is refused.
        let rewritten: @Sendable (UploadState, Int64) -> UploadState?
    }

    private static let drivers: [Driver] = {
        var ranges = HTTPState(FuzzSamples.job, partBytes: 8 << 20)
        ranges.reached = 1000
        ranges.etag = "\"e\""
        ranges.tail = .init(range: 0..<1000, checksum: CRC64NVME(7))
        var parts = S3State(uploadID: "u", partBytes: 8 << 20, checksum: .crc64nvme)
        for _ in 1...3 { parts.proved.append("d41d8cd98f00b204e9800998ecf8427e") }
        parts.broken = [5, 7]
        @Sendable func planned(_ size: Int64, _ partBytes: Int64) {
            let plan = PartPlan(size: size, partSize: partBytes)
            _ = plan.part(plan.count)
        }
        return [
            Driver(sample: ranges.uploadState) { state, size in
                (try? HTTPState(state)).map {
                    planned(size, $0.partBytes)
                    return $0.uploadState
                }
            },
            Driver(sample: parts.uploadState) { state, size in
                (try? S3State(state)).map {
                    planned(size, $0.partBytes)
                    return $0.uploadState
                }
            },
            Driver(
                sample: ResumableState("https://h/u", .v6, partBytes: 8 << 20, expiry: FuzzSamples.time).uploadState
            ) { state, size in
                (try? ResumableState(state)).map {
                    planned(size, $0.partBytes)
                    _ = $0.isPast
                    return $0.uploadState
                }
            },
            Driver(sample: TusState(.whole("https://h/u"), partBytes: 8 << 20).uploadState) { state, size in
                (try? TusState(state)).map {
                    _ = $0.uploads(of: size)
                    return $0.uploadState
                }
            },
            Driver(sample: TusState(.partials(["https://h/1", "https://h/2"]), partBytes: 8 << 20).uploadState) {
                state, size in
                (try? TusState(state)).map {
                    _ = $0.uploads(of: size)
                    return $0.uploadState
                }
            },
            Driver(sample: WebDAVState(file: "f", etag: "e").uploadState) { state, _ in WebDAVState(state)?.uploadState
            },
        ] + ticketDrivers + [directoryDriver]
    }()

    private static var ticketDrivers: [Driver] {
        [PresignedDestination.driverName, BridgeDestination.driverName].map { name in
            Driver(
                sample: TicketState(id: "u", place: "https://h/u?secret", etag: "\"e\"").uploadState(of: name)
            ) { state, _ in (try? TicketState(state, of: name))?.uploadState(of: name) }
        }
    }

    /// The driver trusts no number of its state, and finds the file by the job.
    private static var directoryDriver: Driver {
        let destination = DirectoryDestination(DirectoryConfiguration(path: "/nowhere"))
        return Driver(sample: DirectoryState(partName: "f", partBytes: 8 << 20).state) { state, _ in
            destination.sessionID(of: state).map { DirectoryState(partName: $0, partBytes: 8 << 20).state }
        }
    }

    @Test func `no state of a session makes its driver trap, and what is read is written again`() throws {
        var fuzz = Fuzz(for: "states of sessions")
        var readCount = 0
        for input in 0..<Fuzz.inputCount {
            let driver = fuzz.pick(Self.drivers)
            let size = max(0, min(fuzz.integer(), WireLimits.sizeMaximum))
            guard let state = try? WireJSON.decode(UploadState.self, from: fuzz.damaged(driver.sample)),
                let written = driver.rewritten(state, size)
            else { continue }
            readCount += 1
            let again = try WireJSON.decode(UploadState.self, from: WireJSON.encode(written))
            #expect(driver.rewritten(again, size) == written, "seed \(fuzz.seed), input \(input): \(state)")
        }
        #expect(readCount > Fuzz.inputCount / 20)
    }
}
