public import Hummingbird
import Logging
import NIOCore

/// The connection of a request, for the handlers that close it when its client stops reading.
public struct APIRequestContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
