public import Hummingbird
import Logging
import NIOCore

/// What a handler knows of a request besides the request: the connection, so that one which is not read can be closed.
public struct APIRequestContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
