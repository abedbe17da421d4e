/// Serves several keys by stride: each turn moves the served key on by its stride, and the key that is furthest behind comes next.
/// A key that had nothing to do does not catch up on the turns that it missed.
struct Shares<Key: Hashable & Sendable>: Sendable {
    private var progress: [Key: Int] = [:]
    /// The progress of the key that was served last, before its turn.
    private var pace = 0

    /// To be called when a key has something to do again.
    mutating func join(_ key: Key) { progress[key] = max(progress[key] ?? 0, pace) }

    mutating func serve(_ key: Key, stride: Int) {
        pace = max(pace, progress[key] ?? 0)
        progress[key, default: 0] += stride
    }

    func progress(of key: Key) -> Int { progress[key] ?? 0 }
}
