import Foundation
import Testing

@testable import Uploads

@Suite struct PartPlanTests {
    static let block = PartPlan.blockBytes
    static let s3 = PartLimits(partBytesMinimum: 5 << 20, partBytesMaximum: 5 << 30, partCountMaximum: 10_000)

    static let sizes: [Int64] =
        [0, 1, 2].flatMap { parts in [-1, 0, 1].map { parts * block + $0 } }.filter { $0 >= 0 } + [
            10_000 * block - 1, 10_000 * block, 10_000 * block + 1, 48 << 40,
        ]

    @Test(arguments: sizes, [s3, .none, .single])
    func `parts cover the file exactly once and within the limits`(size: Int64, limits: PartLimits) throws {
        let plan = try PartPlan(size: size, limits: limits)
        #expect(plan.count >= 1)
        #expect(plan.count <= limits.partCountMaximum)
        var covered: Int64 = 0
        var numbers = 0
        for part in plan.parts {
            numbers += 1
            guard part.number == numbers, part.range.lowerBound == covered, part.size <= limits.partBytesMaximum else {
                Issue.record("part \(part) of \(plan)")
                return
            }
            let isLast = part.number == plan.count
            guard isLast || part.size == plan.partSize, isLast || part.size >= limits.partBytesMinimum else {
                Issue.record("part \(part) of \(plan)")
                return
            }
            guard part.size > 0 || size == 0 else {
                Issue.record("an empty part \(part) of \(plan)")
                return
            }
            covered = part.range.upperBound
        }
        #expect(covered == size)
        #expect(numbers == plan.count)
    }

    @Test(arguments: sizes) func `parts are whole blocks where several are allowed`(size: Int64) throws {
        let plan = try PartPlan(size: size, limits: Self.s3)
        #expect(plan.partSize.isMultiple(of: Self.block))
    }

    @Test func `random plans hold as well`() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let limits = PartLimits(
                partBytesMinimum: .random(in: 1...100, using: &random),
                partBytesMaximum: .random(in: 100...9000, using: &random),
                partCountMaximum: .random(in: 1...300, using: &random))
            let size = Int64.random(in: 0...(limits.partBytesMaximum * Int64(limits.partCountMaximum)), using: &random)
            let plan = try PartPlan(size: size, limits: limits, preferredPartSize: 128)
            #expect(plan.count <= limits.partCountMaximum)
            #expect(plan.parts.reduce(0) { $0 + $1.size } == size)
            #expect(plan.parts.allSatisfy { $0.size <= limits.partBytesMaximum })
        }
    }

    @Test func `a file that fits no plan is refused`() {
        let limits = PartLimits(partBytesMinimum: 1, partBytesMaximum: 10, partCountMaximum: 3)
        #expect(throws: UploadError.self) { try PartPlan(size: 31, limits: limits) }
        #expect(throws: Never.self) { try PartPlan(size: 30, limits: limits) }
        let single = PartLimits(partBytesMinimum: 0, partBytesMaximum: 50_000_000, partCountMaximum: 1)
        #expect(throws: UploadError.self) { try PartPlan(size: 50_000_001, limits: single) }
        #expect(throws: Never.self) { try PartPlan(size: .max, limits: PartLimits.single) }
    }
}
