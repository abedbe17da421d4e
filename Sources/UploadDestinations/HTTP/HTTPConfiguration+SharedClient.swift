public import AsyncHTTPClient

extension HTTPConfiguration {
    /// A client for programs that need no other. It is made at its first use and stays until the process ends.
    public static let sharedClient = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
}
