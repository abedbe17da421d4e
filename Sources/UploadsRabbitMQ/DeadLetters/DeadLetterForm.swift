/// How much of a message its dead letter carries. If a broker or this client refuses one form, the next one carries
/// less.
enum DeadLetterForm: CaseIterable, Sendable {
    /// The body, the properties, and the headers within the bounds of ``CarriedHeaders``.
    case whole
    /// No header of the message, not even as text.
    case withoutHeaders
    /// No property of the message either.
    case bodyAlone
}
