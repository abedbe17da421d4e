import Foundation
import Uploads

/// A delegate that was registered at run time: its definition, and the delegate that is served.
struct RegisteredEntry: Sendable {
    let name: String
    /// nil for a definition that a newer version wrote and that this version does not understand.
    var definition: DelegateDefinition?
    var createdAt: Date
    var changedAt: Date
    var delegate: RegisteredDelegate?
    /// Why the delegate is not served; nil if it is.
    var problem: String?

    init(name: String, _ definition: DelegateDefinition, at time: Date) {
        self.name = name
        self.definition = definition
        createdAt = time
        changedAt = time
    }

    init(_ registration: DelegateRegistration) {
        name = registration.name
        definition = try? WireJSON.decode(DelegateDefinition.self, from: registration.definition)
        createdAt = registration.createdAt
        changedAt = registration.changedAt
    }

    /// - Throws: `DefinitionProblems`. The address that a URL names was checked when the delegate was registered, and
    ///   is checked again at each delivery.
    func configuration() throws -> DelegateConfiguration {
        guard let definition else {
            throw DefinitionProblems("", "its definition cannot be read: a newer version has written it")
        }
        return try definition.configuration(named: name, addresses: nil)
    }

    var summary: DelegateSummary {
        var summary =
            (try? configuration()).map { configuration in
                delegate?.summary ?? DelegateSummary(configuration, concurrency: configuration.concurrencyMaximum ?? 0)
            } ?? DelegateSummary(name: name, kind: definition?.kind?.rawValue ?? "unknown", types: [])
        summary.origin = .registration
        summary.createdAt = createdAt
        summary.changedAt = changedAt
        summary.problem = problem
        return summary
    }
}
