/// How far a copy has come with one of its tables.
package struct CopyProgress: Hashable, Sendable {
    package enum Step: String, Sendable {
        case copying
        /// Reading a table of the source and of the destination once more, to compare them.
        case checking
    }

    package var step: Step
    package var table: String
    /// The rows that are done.
    package var done: Int
    package var total: Int
}
