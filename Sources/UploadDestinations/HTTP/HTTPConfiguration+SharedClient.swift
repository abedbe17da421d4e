public import AsyncHTTPClient

extension HTTPConfiguration {
    /// A client for programs that need no other: made when it is first asked for, and there for as long as the process.
    public static let sharedClient = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
}
