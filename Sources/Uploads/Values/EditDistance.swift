/// Finds the known name that a misspelt one most likely means.
package enum EditDistance {
    /// The nearest candidate, if at most a third of the word's characters differ; two may always differ.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let best = candidates.map { (name: $0, distance: between(word.lowercased(), $0.lowercased())) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        guard let best, best.distance <= max(2, word.count / 3) else { return nil }
        return best.name
    }

    /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
    package static func between(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                let same = left[i] == right[j]
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (same ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[right.count]
    }
}
