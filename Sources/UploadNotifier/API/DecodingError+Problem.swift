import Foundation

extension DecodingError {
    /// The field that cannot be read, by its names with slashes between them, and the fault.
    var problem: FieldProblem {
        func field(_ path: [any CodingKey]) -> String {
            path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
        }
        switch self {
        case .keyNotFound(let key, let context):
            return FieldProblem(field: field(context.codingPath + [key]), detail: "is missing")
        // The value's own readers say what they expect.
        case .dataCorrupted(let context):
            // Of a word that is none of an enumeration's, Swift's own text names types.
            let isOfSwift = context.debugDescription.hasPrefix("Cannot initialize ")
            return FieldProblem(
                field: field(context.codingPath),
                detail: isOfSwift ? "is none of the words that it may be" : context.debugDescription)
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return FieldProblem(field: field(context.codingPath), detail: "is not what is expected there")
        @unknown default: return FieldProblem(field: "", detail: "cannot be read")
        }
    }
}

extension FieldProblem {
    /// In a line.
    var text: String { field.isEmpty ? detail : "'\(field)': \(detail)" }
}
