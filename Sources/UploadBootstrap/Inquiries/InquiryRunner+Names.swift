import NIOCore
import NIOHTTP1
import Uploads

/// Suggestions for names that may be mistyped.
extension InquiryRunner {
    private struct Named: Decodable { var name: String }

    /// Runs the body. If it throws `noInput`, the error also suggests the known name that is most like the given one.
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

    /// After a filter that found nothing: prints a hint if the notifier does not know the filter's name.
    func doubt(_ name: String?, _ what: String, in path: String) async {
        guard let name else { return }
        guard
            let names = try? await client.ask(.GET, path, as: ListPage<Named>.self, patience: .seconds(2)).items
                .map(\.name)
        else { return }
        guard !names.contains(name) else { return }
        let nearest = EditDistance.nearest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
        say("the notifier knows no \(what) named '\(name)'\(nearest)")
    }

    private func nearest(to name: String, in path: String) async -> String? {
        let names = try? await client.ask(.GET, path, as: ListPage<Named>.self).items.map(\.name)
        return EditDistance.nearest(to: name, among: names ?? [])
    }
}
