/// The durable subscription of an app: the queue delegate that the notifier keeps for the managers of one identifier
/// (``UploadJob/client``) and that hears of their jobs alone.
public enum ClientDelegate {
    /// With what the names of these delegates begin, and nobody else's may.
    public static let prefix = "client-"
    /// The longest identifier that stands in a name as it is. Longer ones leave a name of full length, so that no two are the same.
    private static let plainCountMaximum = nameCountMaximum - prefix.utf8.count - 1
    private static let nameCountMaximum = 64

    /// The delegate's name, `[a-z0-9_-]{1,64}`: the identifier behind the prefix; one that is too long is cut and ends in its checksum.
    /// - Returns: nil for what is no identifier.
    public static func name(of client: String) -> String? {
        guard (try? QueueName(client)) != nil else { return nil }
        guard client.utf8.count > plainCountMaximum else { return prefix + client }
        let checksum = String(CRC64NVME(of: Array(client.utf8)).value, radix: 16)
        let padded = String(repeating: "0", count: 16 - checksum.count) + checksum
        return prefix + client.prefix(nameCountMaximum - prefix.utf8.count - 1 - padded.count) + "-" + padded
    }

    /// Whether a name is of the kind that only these delegates have.
    public static func isName(_ name: String) -> Bool { name.hasPrefix(prefix) }
}
