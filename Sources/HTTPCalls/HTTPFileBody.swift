package import Uploads

/// A request's body that the kernel sends from a file.
package struct HTTPFileBody: Sendable {
    let file: SourceFileRange
    /// Called when a connection begins to send the body. The result is called with each number of bytes that the system has taken.
    let begin: @Sendable () -> @Sendable (_ count: Int) -> Void
    /// Called when the system cannot send from the file: it cannot read it, or its file system does not support that.
    let refuse: @Sendable () -> Void

    package init(
        _ file: SourceFileRange, begin: @escaping @Sendable () -> @Sendable (_ count: Int) -> Void,
        refuse: @escaping @Sendable () -> Void
    ) {
        self.file = file
        self.begin = begin
        self.refuse = refuse
    }
}
