import Foundation
import Testing

/// How far a search goes: which job, and how much may go wrong.
struct ModelBound: Sendable, CustomTestStringConvertible {
    var isStaged: Bool
    /// Whether the staging area has locks.
    var locks = true
    var crashes: Int8 = 0
    var confirms: Int8 = 0
    var answers: Int8 = 0
    var verbs: Int8 = 0
    var drains: Int8 = 0
    var losses: Int8 = 0
    var takeovers: Int8 = 0
    /// Producers that die while they copy.
    var producers: Int8 = 0
    /// How many parts its staged copy has when the job is published; nil for a complete copy.
    var copied: Int32?
    /// Whether the producer got no confirm of its job, and published it once more.
    var isProducerInDoubt = false
    /// Whether the job waits in a serial line first, where it may be cancelled.
    var isSerial = false
    /// Whether the job's turn in its line may come.
    var hasTurn = true

    var budget: BatonWorld.Budget {
        BatonWorld.Budget(
            crashes: crashes, confirms: confirms, answers: answers, verbs: verbs, drains: drains,
            takeovers: takeovers, losses: losses, producers: producers)
    }

    var testDescription: String {
        let parts: [(Int8, String)] = [
            (crashes, "crashes"), (confirms, "lost confirms"), (answers, "lost answers"), (verbs, "verbs"),
            (drains, "drains"), (losses, "dropped messages"),
            (takeovers, "overtaken notifiers"), (producers, "dead producers"),
        ]
        let named =
            parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" } + (isProducerInDoubt ? ["producer in doubt"] : [])
        let line = isSerial ? hasTurn ? "serial, " : "serial without a turn, " : ""
        return
            "\(line)\(copied != nil ? "copying" : !isStaged ? "inline" : locks ? "staged" : "staged without locks"), \(named.isEmpty ? "undisturbed" : named.joined(separator: ", "))"
    }

    /// `LONGSHORE_MODEL_BOUND`: 1 (the default) is one disturbance of each kind, and two for the job that needs no
    /// session; 2 is any two; each further one adds one more crash.
    static let level = Int(ProcessInfo.processInfo.environment["LONGSHORE_MODEL_BOUND"] ?? "1") ?? 1

    /// Worlds that a search keeps at most: about 300 bytes each.
    static let worldCountMaximum = 20_000_000

    static var all: [ModelBound] {
        var bounds =
            singles(isStaged: true) + singles(isStaged: false) + pairs(isStaged: false).filter { $0.verbs == 0 }
        bounds += [true, false].flatMap { serial(isStaged: $0) }
        bounds += copying + withoutLocks
        bounds.append(ModelBound(isStaged: false, verbs: 1, takeovers: 1))
        if level >= 2 { bounds += overtaken + pairs(isStaged: true) + pairs(isStaged: false).filter { $0.verbs > 0 } }
        for crashes in 3...max(3, level) where level >= 3 {
            bounds += [true, false].map { ModelBound(isStaged: $0, crashes: Int8(crashes), verbs: 1) }
        }
        return bounds
    }

    private static var kinds: [WritableKeyPath<ModelBound, Int8>] {
        [\.crashes, \.confirms, \.answers, \.verbs, \.drains, \.losses, \.takeovers]
    }

    static func singles(isStaged: Bool) -> [ModelBound] {
        [ModelBound(isStaged: isStaged), ModelBound(isStaged: isStaged, isProducerInDoubt: true)]
            + kinds.map { kind in
                var bound = ModelBound(isStaged: isStaged)
                bound[keyPath: kind] = 1
                return bound
            }
    }

    /// A copy that grows while its job is under way, and a producer that dies.
    static var copying: [ModelBound] {
        var first = ModelBound(isStaged: true)
        first.copied = 0
        var dead = first
        dead.producers = 1
        let disturbed = kinds.flatMap { kind in
            // What comes before the first part is there brings nothing new.
            [(first, kind), (dead, kind)].map { bound, kind in
                var bound = bound
                bound.copied = 1
                bound[keyPath: kind] += 1
                return bound
            }
        }
        return [first, dead]
            + disturbed.filter { level >= 2 || ($0.crashes == 0 && $0.verbs == 0) || $0.producers == 0 }
    }

    /// A cancellation before, at and after the job's turn; and in line, with one disturbance of each kind that may meet it there.
    static func serial(isStaged: Bool) -> [ModelBound] {
        let kinds: [WritableKeyPath<ModelBound, Int8>] = [
            \.crashes, \.confirms, \.losses, \.drains, \.verbs, \.takeovers,
        ]
        return [ModelBound(isStaged: isStaged, verbs: 1, isSerial: true)]
            + kinds.map { kind in
                var bound = ModelBound(isStaged: isStaged, verbs: 1, isSerial: true, hasTurn: false)
                bound[keyPath: kind] += 1
                return bound
            }
    }

    /// Orders and a serial line around a notifier that has lost its shard and does not know it.
    private static var overtaken: [ModelBound] {
        [
            ModelBound(isStaged: false, verbs: 1, takeovers: 1, isSerial: true),
            ModelBound(isStaged: false, verbs: 2, takeovers: 1), ModelBound(isStaged: false, verbs: 1, takeovers: 2),
            ModelBound(isStaged: false, crashes: 1, verbs: 1, takeovers: 1),
        ]
    }

    /// A copy in a bucket: it is complete when the job is published, and workers cannot lock it.
    private static var withoutLocks: [ModelBound] {
        (singles(isStaged: true) + serial(isStaged: true) + (level >= 2 ? pairs(isStaged: true) : [])).map { bound in
            var bound = bound
            bound.locks = false
            return bound
        }
    }

    static func pairs(isStaged: Bool) -> [ModelBound] {
        kinds.indices.flatMap { first in
            kinds[first...].map { second in
                var bound = ModelBound(isStaged: isStaged)
                bound[keyPath: kinds[first]] += 1
                bound[keyPath: second] += 1
                return bound
            }
        }
    }
}
