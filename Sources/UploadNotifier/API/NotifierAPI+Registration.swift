import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    /// Seconds that a removal may take: a large backlog is deleted in parts.
    static let removalSecondsMaximum = 300.0
    /// Seconds for which a replaced secret signs as well: a day unless the request says otherwise, 30 days at most.
    static let overlapSeconds: Int64 = 86_400
    static let overlapSecondsMaximum: Int64 = 30 * 86_400

    var registrationRoutes: [APIRoute] {
        [
            APIRoute(.post, "/v1/delegates", role: .administer) { [self] in try await register($0) },
            APIRoute(.patch, "/v1/delegates/{name}", role: .administer) { [self] in .json(try await change($0)) },
            APIRoute(
                .delete, "/v1/delegates/{name}", query: ["discard"], secondsMaximum: Self.removalSecondsMaximum,
                role: .administer
            ) { [self] in .json(try await remove($0)) },
            APIRoute(.post, "/v1/delegates/{name}/rotate-secret", role: .administer) { [self] in
                .json(try await rotate($0))
            },
        ]
    }

    private func register(_ request: APIRequest) async throws -> APIAnswer {
        var object = try request.object(DelegateDefinition.names.union(["name", "secret"]))
        guard let name = object.removeValue(forKey: "name")?.string, (try? QueueName(name)) != nil else {
            throw DefinitionProblems("name", "expected 1 to 64 of the characters a-z, 0-9, '_' and '-'")
        }
        let given = object.removeValue(forKey: "secret")
        var definition = DelegateDefinition(fields: object)
        var made: WebhookSecret?
        if definition.kind == .webhook {
            let secret = try given.map { try Self.secret($0) } ?? .generate()
            made = given == nil ? secret : nil
            definition.secrets = [secret]
        } else if given != nil, definition.kind != nil {
            throw DefinitionProblems("secret", "nothing is signed for this kind; leave it out")
        }
        try await audited("delegate.register", "delegate \(name)", request) { [definition] in
            try await delegates.add(name, definition)
        }
        var asked = request
        asked.parameters["name"] = name
        return .created(
            API.SignedDelegate(delegate: try await delegate(asked), secret: made?.text), at: "/v1/delegates/\(name)")
    }

    /// A JSON merge patch (RFC 7396).
    private func change(_ request: APIRequest) async throws -> API.Delegate {
        let patch = try request.object(as: ["application/merge-patch+json", "application/json"])
        if let stranger = patch.keys.sorted().first(where: { !DelegateDefinition.names.contains($0) }) {
            let why =
                switch stranger {
                case "name": "a delegate keeps its name; register another one"
                case "secret": "is changed by rotate-secret, so that the receiver has time for it"
                default:
                    "is no field that can be changed; there are "
                        + DelegateDefinition.names.subtracting(["kind"]).sorted().joined(separator: ", ")
                }
            throw DefinitionProblems(String(stranger.prefix(64)), why)
        }
        let shown = try await delegate(request)
        if let kind = patch["kind"], kind != .string(shown.kind) {
            throw Self.refusal(of: "kind", "cannot be changed; remove the delegate, and register it anew")
        }
        if shown.kind == DelegateDefinition.Kind.queue.rawValue,
            let field = DelegateDefinition.webhookFields.sorted().first(where: { (patch[$0] ?? .null) != .null })
        {
            throw Self.refusal(of: field, "is no field of delegate '\(shown.name)', which is a queue; leave it out")
        }
        let fields = patch.keys.sorted().joined(separator: ", ")
        try await audited("delegate.change", "delegate \(shown.name): \(fields)", request) {
            try await delegates.change(shown.name) { $0.merging(patch) }
        }
        return try await delegate(request)
    }

    /// The problem of a valid change that does not fit the delegate.
    private static func refusal(of field: String, _ detail: String) -> APIProblem {
        var problem = APIProblem(.refused, "'\(field)': \(detail)")
        problem.errors = [API.FieldError(pointer: "#/\(field)", detail: detail)]
        return problem
    }

    private func remove(_ request: APIRequest) async throws -> API.RemovedDelegate {
        let discards = try request.text("discard")
        guard discards == nil || discards == "true" || discards == "false" else {
            throw APIProblem.invalid("the query's 'discard' is true or false")
        }
        let name = try await delegate(request).name
        return try await audited("delegate.remove", "delegate \(name)", request) {
            try await remove(name, discards: discards == "true")
        }
    }

    private func remove(_ name: String, discards: Bool) async throws -> API.RemovedDelegate {
        switch try await delegates.remove(name, discarding: discards) {
        case .removed(let forgotten): return API.RemovedDelegate(removed: name, forgotten: forgotten)
        case .hasBacklog(let count):
            var problem = APIProblem(
                .hasBacklog,
                """
                \(count) outcomes wait for delegate '\(name)', and it would never hear of them; remove it with discard=true if \
                that is meant
                """)
            problem.backlog = count
            throw problem
        }
    }

    private func rotate(_ request: APIRequest) async throws -> API.SignedDelegate {
        let object = try request.object(["secret", "overlapSeconds"])
        var overlap = Self.overlapSeconds
        if let given = object["overlapSeconds"] {
            guard case .integer(let seconds) = given, (0...Self.overlapSecondsMaximum).contains(seconds) else {
                throw DefinitionProblems(
                    "overlapSeconds", "expected a whole number from 0 to \(Self.overlapSecondsMaximum)")
            }
            overlap = seconds
        }
        let given = try object["secret"].map { try Self.secret($0) }
        let shown = try await delegate(request)
        guard shown.kind == DelegateDefinition.Kind.webhook.rawValue else {
            throw APIProblem(.refused, "nothing is signed for delegate '\(shown.name)', which is no webhook")
        }
        let secret = given ?? .generate()
        let now = clock.now()
        try await audited("delegate.rotate", "delegate \(shown.name)", request) {
            try await delegates.change(shown.name) { definition in
                try definition.rotating(to: secret, until: now.addingTimeInterval(TimeInterval(overlap)), at: now)
            }
        }
        return API.SignedDelegate(
            delegate: try await delegate(request), secret: given == nil ? secret.text : nil)
    }

    private static func secret(_ value: JSONValue) throws -> WebhookSecret {
        guard let text = value.string else { throw DefinitionProblems("secret", "expected a text") }
        let secret = WebhookSecret(text)
        if let problem = secret.problem { throw DefinitionProblems("secret", problem) }
        return secret
    }
}
