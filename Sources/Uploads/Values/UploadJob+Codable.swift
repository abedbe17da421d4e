import Foundation

/// The wire form `upload.job.v1`. Fields that a producer may leave out have defaults: queue `default`, priority
/// `normal`, content type `application/octet-stream`, no digests, no metadata, no properties, `replace`, no
/// verification, and the retry policy of the destination.
extension UploadJob: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case id, queue, priority, source, destination, renamedFrom, contentType, size, digests, metadata, properties,
            ifExists, batch
        case client, idempotencyKey, retry, serial, verify, notBefore, expiresAt, enqueuedAt

        /// In the order in which the writer sorts members, so that one pass compares them.
        static let names = allCases.map(\.stringValue).sorted()
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let size: Int64
        if !container.contains(.size), case .object? = try? container.decode(SourceReference.self, forKey: .source) {
            size = 0
        } else {
            size = try container.decode(0...WireLimits.sizeMaximum, forKey: .size)
        }
        self.init(
            id: try container.decode(JobID.self, forKey: .id),
            queue: try container.decodeIfPresent(QueueName.self, forKey: .queue) ?? .standard,
            priority: try container.decodeIfPresent(Lane.self, forKey: .priority) ?? .normal,
            source: try container.decode(SourceReference.self, forKey: .source),
            destination: try container.decode(DestinationReference.self, forKey: .destination),
            contentType: try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .contentType)
                ?? "application/octet-stream",
            size: size,
            digests: try container.decodeIfPresent(Digests.self, forKey: .digests) ?? Digests(),
            metadata: try container.decodeTextsIfPresent(atMost: WireLimits.textsBytesMaximum, forKey: .metadata)
                ?? [:],
            retry: try container.decodeIfPresent(RetryPolicy.self, forKey: .retry),
            enqueuedAt: try container.decode(Date.self, forKey: .enqueuedAt))
        if case .inline(let data) = source, !data.isEmpty, data.count != size {
            throw DecodingError.dataCorruptedError(
                forKey: .size, in: container,
                debugDescription: "size says \(size) bytes, the inline data has \(data.count)")
        }
        properties =
            try container.decodeIfPresent(ObjectProperties.self, forKey: .properties) ?? ObjectProperties()
        renamedFrom = try container.decodeIfPresent(DestinationReference.self, forKey: .renamedFrom)
        ifExists = try container.decodeIfPresent(IfExists.self, forKey: .ifExists) ?? .replace
        verify = try container.decodeIfPresent(Bool.self, forKey: .verify) ?? false
        batch = try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .batch)
        client = try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .client)
        idempotencyKey = try container.decodeTextIfPresent(
            atMost: WireLimits.nameLengthMaximum, forKey: .idempotencyKey)
        serial = try container.decodeIfPresent(SerialPosition.self, forKey: .serial)
        notBefore = try container.decodeIfPresent(Date.self, forKey: .notBefore)
        expiresAt = try container.decodeIfPresent(Date.self, forKey: .expiresAt)
        unknown = try decoder.unknownFields(besides: Key.names)
    }

    /// - Parameter count: bytes of the job as JSON.
    /// - Throws: `misconfigured` when they are more than ``WireLimits/jobBytesMaximum``.
    public func check(bodyBytes count: Int) throws(UploadError) {
        guard count > WireLimits.jobBytesMaximum else { return }
        throw UploadError(
            .misconfigured,
            """
            the job \(id) takes \(count) bytes as a message, and at most \(WireLimits.jobBytesMaximum) are allowed: shorten its metadata \
            and its other texts
            """)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        // In the order in which they are written.
        try container.encodeIfPresent(batch, forKey: .batch)
        try container.encodeIfPresent(client, forKey: .client)
        try container.encode(contentType, forKey: .contentType)
        try container.encode(destination, forKey: .destination)
        try container.encode(digests, forKey: .digests)
        try container.encode(enqueuedAt, forKey: .enqueuedAt)
        try container.encodeIfPresent(expiresAt, forKey: .expiresAt)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(idempotencyKey, forKey: .idempotencyKey)
        if ifExists != .replace { try container.encode(ifExists, forKey: .ifExists) }
        try container.encode(metadata, forKey: .metadata)
        try container.encodeIfPresent(notBefore, forKey: .notBefore)
        try container.encode(priority, forKey: .priority)
        if !properties.isEmpty { try container.encode(properties, forKey: .properties) }
        try container.encode(queue, forKey: .queue)
        try container.encodeIfPresent(renamedFrom, forKey: .renamedFrom)
        try container.encodeIfPresent(retry, forKey: .retry)
        try container.encodeIfPresent(serial, forKey: .serial)
        try container.encode(size, forKey: .size)
        try container.encode(source, forKey: .source)
        if verify { try container.encode(verify, forKey: .verify) }
        try encoder.encodeUnknownFields(unknown)
    }
}
