import Synchronization

/// Makes names that no other test and no other run uses, of `[a-z0-9_-]`.
public enum UniqueNames {
    private static let run = String(UInt64.random(in: 0...UInt64(1) << 40), radix: 36)
    private static let count = Atomic<UInt64>(0)

    public static func make(_ prefix: String = "test") -> String {
        "\(prefix)-\(run)-\(count.add(1, ordering: .relaxed).newValue)"
    }
}
