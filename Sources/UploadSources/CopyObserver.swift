/// Whom a task's copies report to.
package enum CopyObserver {
    /// Called with the bytes of the copy that are there: after each block in a directory, and about once a second at a destination. A small
    /// copy may report nothing.
    @TaskLocal package static var report: (@Sendable (Int64) -> Void)?
}
