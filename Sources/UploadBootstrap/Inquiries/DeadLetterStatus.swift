public import ArgumentParser

/// Whether dead letters were published again.
public enum DeadLetterStatus: String, CaseIterable, ExpressibleByArgument, Sendable {
    case waiting, replayed
}
