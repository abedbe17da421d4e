/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014): the same seed gives the
/// same jitter.
package struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    package mutating func next() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var word = seed
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
