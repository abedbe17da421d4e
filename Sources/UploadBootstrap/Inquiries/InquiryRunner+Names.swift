import NIOCore
import NIOHTTP1

/// Names that somebody may have mistyped.
extension InquiryRunner {
    private struct Named: Decodable { var name: String }

    /// Runs the body; where there is no such thing, the error names the one that was most likely meant.
    func suggesting<Value>(
        _ name: String, from path: String, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as ProgramError where error.exitCode == .noInput {
            guard let nearest = await nearest(to: name, in: path) else { throw error }
            throw ProgramError(.noInput, "\(error); did you mean '\(nearest)'?")
        }
    }

    /// Says so where a filter that has found nothing has a name that nobody knows.
    func doubt(_ name: String?, _ what: String, in path: String) async {
        guard let name else { return }
        guard
            let names = try? await client.ask(.GET, path, as: ListPage<Named>.self, patience: .seconds(2)).items
                .map(\.name)
        else { return }
        guard !names.contains(name) else { return }
        let nearest = EditDistance.nearest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
        say("no \(what) is known as '\(name)'\(nearest)")
    }

    private func nearest(to name: String, in path: String) async -> String? {
        let names = try? await client.ask(.GET, path, as: ListPage<Named>.self).items.map(\.name)
        return EditDistance.nearest(to: name, among: names ?? [])
    }
}
