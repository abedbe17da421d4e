package import Uploads

/// A request's body that the kernel sends from a file.
package struct HTTPFileBody: Sendable {
    let file: SourceFileRange
    /// Called when a connection begins to send the body. The result is called with each number of bytes that the system has taken.
    let begin: @Sendable () -> @Sendable (_ count: Int) -> Void

    package init(_ file: SourceFileRange, begin: @escaping @Sendable () -> @Sendable (_ count: Int) -> Void) {
        self.file = file
        self.begin = begin
    }
}
