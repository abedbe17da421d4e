/// The problem of a field, in words that follow its name. Without the value.
struct MappingProblem: Error {
    let text: String

    static func decoding(_ text: String, _ type: Any.Type, at path: [any CodingKey]) -> DecodingError {
        .typeMismatch(
            type, DecodingError.Context(codingPath: path, debugDescription: text, underlyingError: Self(text: text)))
    }

    static func corrupted(_ text: String, at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(codingPath: path, debugDescription: text, underlyingError: Self(text: text)))
    }

    static func encoding(_ text: String, _ value: Any, at path: [any CodingKey]) -> EncodingError {
        .invalidValue(
            value, EncodingError.Context(codingPath: path, debugDescription: text, underlyingError: Self(text: text)))
    }
}
