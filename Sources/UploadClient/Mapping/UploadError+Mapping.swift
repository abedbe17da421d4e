import Uploads

extension UploadError {
    /// The error for JSON that does not fit a Swift type. Never shows a value: it may be a secret.
    ///
    /// - Parameter type: the type of the JSON, if the mapper knows it.
    static func doesNotFit(_ swiftType: Any.Type, as type: String?, _ error: any Error) -> UploadError {
        let object = type.map { "a JSON object of type '\($0)'" } ?? "the JSON"
        return UploadError(
            .invalidResponse,
            "\(object) does not fit \(swiftType): \(problem(error)). Correct the JSON, or map the type to what it holds",
            retry: .never, cause: error)
    }

    /// The error for a value that JSON cannot express.
    static func cannotBeWritten(_ swiftType: Any.Type, _ error: any Error) -> UploadError {
        if let error = error as? UploadError { return error }
        return UploadError(
            .misconfigured,
            "\(swiftType) cannot be written as JSON: \(problem(error)). Change the value or the mapping",
            cause: error)
    }

    private static func problem(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "the field '\(path(context.codingPath + [key]))' is missing"
        case DecodingError.valueNotFound(_, let context): "\(place(context.codingPath)) is null"
        case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
            "\(place(context.codingPath)) \(words(context.underlyingError))"
        case EncodingError.invalidValue(_, let context):
            "\(place(context.codingPath)) \(words(context.underlyingError))"
        default: "the type's own code refused it (\(Swift.type(of: error)))"
        }
    }

    private static func words(_ error: (any Error)?) -> String {
        (error as? MappingProblem)?.text ?? "has a value that its Swift type does not take"
    }

    private static func place(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the whole" : "the field '\(path(keys))'"
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        // A dictionary's keys come from the writer of the JSON.
        let text = keys.map(\.stringValue).joined(separator: ".")
        return String(text.prefix(200).map { $0.isNewline ? " " : $0 })
    }
}
