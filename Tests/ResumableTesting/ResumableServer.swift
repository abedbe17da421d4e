/// A server of uploads below `/files/`.
public protocol ResumableServer: Sendable {
    var port: Int { get }
    /// What a file is, by its path below `/files/`; nil where there is none.
    func stored(_ path: String) -> [UInt8]?
}
