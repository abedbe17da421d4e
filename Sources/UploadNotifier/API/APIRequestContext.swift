public import Hummingbird
import Logging
import NIOCore

/// The connection of a request, for the handlers that close it when its client stops reading, and the caller at its other end.
public struct APIRequestContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// Set by the guard that admits the request.
    var caller = APICaller(.api)

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
