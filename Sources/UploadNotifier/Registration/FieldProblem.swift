/// The fault of one field of a definition, for the caller who sent it. Never holds a secret.
struct FieldProblem: Hashable, Sendable {
    /// The field's name; empty for the definition as a whole.
    var field: String
    var detail: String
}

/// All faults of a definition.
struct DefinitionProblems: Error, Hashable, Sendable {
    var problems: [FieldProblem]

    init(_ problems: [FieldProblem]) { self.problems = problems }

    init(_ field: String, _ detail: String) { problems = [FieldProblem(field: field, detail: detail)] }
}
