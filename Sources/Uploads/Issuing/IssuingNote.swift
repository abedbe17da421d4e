/// Why a message changed nothing but the record.
public enum IssuingNote: String, CaseIterable, Sendable {
    /// It is about a round before the current one.
    case olderRound
    /// It is about a generation that no longer counts.
    case olderGeneration
    /// The round has its outcome already; another one is noted, not published.
    case roundHasEnded
    /// A marker that no open wish waits for.
    case staleMarker
    /// A repetition, or nothing that the ledger keeps.
    case nothingNew
    /// Its turn in the serial line has not come; the notifier issues it then.
    case waitsInLine
    /// The job was issued as often as a message can count.
    case noGenerationLeft
    /// The wish is kept open: the ledger does not hold the whole order, so it cannot be issued from there.
    case orderIncomplete
    /// The job was forgotten; recording the message would bring its names back.
    case forgotten
}
