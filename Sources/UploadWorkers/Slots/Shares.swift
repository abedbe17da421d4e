/// Serves several by stride: each turn moves the one served on by its stride, and whoever is furthest behind comes next.
/// Who had nothing to do does not catch up on what it missed.
struct Shares<Key: Hashable & Sendable>: Sendable {
    private var progress: [Key: Int] = [:]
    /// How far the one that was served last had come.
    private var pace = 0

    /// It has something to do again.
    mutating func join(_ key: Key) { progress[key] = max(progress[key] ?? 0, pace) }

    mutating func serve(_ key: Key, stride: Int) {
        pace = max(pace, progress[key] ?? 0)
        progress[key, default: 0] += stride
    }

    func progress(of key: Key) -> Int { progress[key] ?? 0 }
}
