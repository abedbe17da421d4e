import Synchronization
import Testing
import Uploads

@testable import UploadDestinations

@Suite(.timeLimit(.minutes(1))) final class LearnedAbilityTests: Sendable {
    private let ability = LearnedAbility()
    private let trials = Atomic<Int>(0)

    @Test func `all who ask wait for one trial`() async throws {
        let (asked, start) = AsyncStream.makeStream(of: Void.self)
        let answers = try await withThrowingTaskGroup(of: Bool?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await self.ability.learn { () async throws(UploadError) in
                        self.trials.add(1, ordering: .relaxed)
                        for await _ in asked { break }
                        return true
                    }
                }
            }
            start.yield()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: true, count: 8))
        #expect(trials.load(ordering: .relaxed) == 1)
    }

    @Test func `only what a trial has told is kept`() async throws {
        await #expect(throws: UploadError.self) {
            _ = try await ability.learn { () async throws(UploadError) in throw UploadError(.networkFailure, "cut") }
        }
        #expect(try await ability.learn { () async throws(UploadError) in nil } == nil)
        #expect(try await ability.learn { () async throws(UploadError) in false } == false)
        #expect(try await ability.learn { () async throws(UploadError) in true } == false)
    }
}
