import Foundation
import Hummingbird
import Testing
import Yams

@testable import UploadNotifier

@Suite struct OpenAPITests {
    private func description() throws -> [String: Any] {
        try #require(try Yams.load(yaml: OpenAPIDescription.yaml) as? [String: Any])
    }

    /// The server's paths beside the API.
    private static let health: Set = ["get /healthz", "get /readyz", "get /metrics"]

    @Test func `every route is described, and every described path is a route`() async throws {
        let routes = try await APIHouse().api.routes
        let paths = try #require(try description()["paths"] as? [String: [String: Any]])
        let described = paths.flatMap { path, operations in operations.keys.map { "\($0) \(path)" } }
        let served = routes.map { "\($0.method.rawValue.lowercased()) \($0.path)" }
        #expect(Set(described).subtracting(Self.health) == Set(served))
        #expect(Set(served).count == served.count)
    }

    @Test func `every parameter of a query is described, and every described parameter is read`() async throws {
        let all = try description()
        let paths = try #require(all["paths"] as? [String: [String: Any]])
        let parameters = try #require((all["components"] as? [String: Any])?["parameters"] as? [String: [String: Any]])
        for route in try await APIHouse().api.routes {
            let operation = try #require(
                paths[route.path]?[route.method.rawValue.lowercased()] as? [String: Any], "\(route.path)")
            let references = (operation["parameters"] as? [[String: String]] ?? []).compactMap { $0["$ref"] }
            let described = try references.map { reference in
                try #require(parameters[String(reference.split(separator: "/").last ?? "")], "\(reference)")
            }
            func names(_ place: String) -> Set<String> {
                Set(described.filter { $0["in"] as? String == place }.compactMap { $0["name"] as? String })
            }
            #expect(names("query") == route.query, "\(route.path)")
            #expect(names("path") == Set(route.parameters), "\(route.path)")
        }
    }

    @Test func `a problem's type is one of a fixed list`() {
        #expect(Set(APIProblem.Kind.allCases.map(\.rawValue)).count == APIProblem.Kind.allCases.count)
        for kind in APIProblem.Kind.allCases { #expect(APIProblem(kind, "").status.code >= 400) }
    }
}
