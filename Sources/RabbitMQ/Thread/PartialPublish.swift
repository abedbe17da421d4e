/// A publish whose method and header are sent, and a part of its body. Until it is complete nothing else may be sent on
/// its channel.
struct PartialPublish {
    let slot: ChannelSlot
    let request: PublishRequest
    var offset = 0
}
