/// A server with uploads below `/files/`.
public protocol ResumableServer: Sendable {
    var port: Int { get }
    /// The bytes of a file, by its path below `/files/`; nil if there is no such file.
    func stored(_ path: String) -> [UInt8]?
}
