extension Web {
    /// The sum of all series of a metric that a program shows; 0 if it shows none.
    /// - Parameter labels: as in the text, such as `queue="default"`; only series with all of these count.
    static func sum(of metric: String, _ labels: String..., shownBy program: RunningProgram) async throws -> Double {
        try await values(of: metric, shownBy: program).filter { series in
            labels.allSatisfy { $0.isEmpty || series.labels.contains($0) }
        }.reduce(0) { $0 + $1.value }
    }

    /// The series of a metric that a program shows.
    static func values(
        of metric: String, shownBy program: RunningProgram
    ) async throws -> [(labels: String, value: Double)] {
        guard let port = program.port else { return [] }
        return try await page("http://127.0.0.1:\(port)/metrics").split(separator: "\n").compactMap { line in
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                return nil
            }
            let name = line[..<space].prefix { $0 != "{" }
            return name == metric ? (String(line[name.endIndex..<space]), value) : nil
        }
    }
}
