import Uploads
import UploadsAPI

/// Finds the worker that a user means by its name, by the beginning of its name, or by its host.
struct WorkerChoice: Hashable, Sendable {
    /// The most workers that an error lists.
    private static let listedMaximum = 10

    private let workers: [API.Worker]

    /// - Parameter workers: the workers that have reported themselves.
    init(_ workers: [API.Worker]) { self.workers = workers }

    /// - Throws: `usage` for a word that several workers match, `noInput` for one that matches none.
    func name(for word: String) throws(ProgramError) -> String {
        if workers.contains(where: { $0.name == word }) { return word }
        // The name of one host may be the beginning of another one's.
        let ofHost = workers.filter { $0.host == word }.map(\.name)
        let names = ofHost.isEmpty ? workers.map(\.name).filter { $0.hasPrefix(word) } : ofHost
        if names.count == 1 { return names[0] }
        guard names.isEmpty else {
            let list = names.sorted().prefix(Self.listedMaximum).map(PlainText.safe).joined(separator: ", ")
            let rest = names.count > Self.listedMaximum ? " and others" : ""
            throw ProgramError(.usage, "'\(word)' is one of \(names.count) workers: name \(list)\(rest)")
        }
        let nearest = EditDistance.nearest(to: word, among: workers.flatMap { [$0.name, $0.host] })
        throw ProgramError(
            .noInput,
            "no worker '\(word)' has reported itself within the last 30 s"
                + (nearest.map { "; did you mean '\(PlainText.safe($0))'?" } ?? "; 'uploadctl workers' lists them"))
    }
}
