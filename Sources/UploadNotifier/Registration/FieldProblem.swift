/// What is wrong with a field of a definition, for who wrote it. Never holds a secret.
struct FieldProblem: Hashable, Sendable {
    /// The field's name; empty for the whole.
    var field: String
    var detail: String
}

/// Everything that is wrong with a definition.
struct DefinitionProblems: Error, Hashable, Sendable {
    var problems: [FieldProblem]

    init(_ problems: [FieldProblem]) { self.problems = problems }

    init(_ field: String, _ detail: String) { problems = [FieldProblem(field: field, detail: detail)] }
}
