/// All that is needed to go on with an upload anywhere: the driver's name and a payload that only the driver reads.
public struct UploadState: Codable, Hashable, Sendable {
    /// The driver that wrote the payload: `directory`, `http`, `s3` …
    public var driver: String
    /// At most ``WireLimits/payloadBytesMaximum``: a baton leaves out a state with a larger one, and the upload begins
    /// anew.
    public var payload: JSONValue
    /// How far a finished object was read back.
    public var readBack: ReadBack?
    /// The mark: bytes that the destination did not hold when the last slice that used up its time began. The next
    /// slice must find fewer missing, or the attempt has failed. nil where no slice has used up its time since the last
    /// failed attempt.
    public var bytesMissing: Int64?
    /// Whether the slice before has opened the session and done nothing else, so that the destination need not be asked
    /// what it holds. Only the baton that comes straight from that slice says so: ``SliceMachine`` clears it in every
    /// later state.
    public var isUntouched: Bool
    /// What slices have read of a source whose checksum is computed only while it is sent: the last slice completes that of
    /// the whole.
    public var checksums: FileChecksums

    public init(
        driver: String, payload: JSONValue, readBack: ReadBack? = nil, bytesMissing: Int64? = nil,
        isUntouched: Bool = false, checksums: FileChecksums = FileChecksums()
    ) {
        self.driver = driver
        self.payload = payload
        self.readBack = readBack
        self.bytesMissing = bytesMissing
        self.isUntouched = isUntouched
        self.checksums = checksums
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            driver: try container.decodeText(atMost: WireLimits.nameLengthMaximum, forKey: .driver),
            payload: try container.decode(JSONValue.self, forKey: .payload),
            readBack: try container.decodeIfPresent(ReadBack.self, forKey: .readBack),
            bytesMissing: try container.decodeIfPresent(0...WireLimits.sizeMaximum, forKey: .bytesMissing),
            isUntouched: try container.decodeIfPresent(Bool.self, forKey: .isUntouched) ?? false,
            checksums: FileChecksums(
                try container.decodeListIfPresent(
                    of: FileChecksums.Stretch.self, atMost: FileChecksums.stretchesMaximum, forKey: .checksums) ?? []))
        guard payload.nests(atMost: WireLimits.depthMaximum) else {
            throw DecodingError.dataCorruptedError(
                forKey: .payload, in: container,
                debugDescription: "it nests deeper than \(WireLimits.depthMaximum) levels")
        }
        guard fitsMessages else {
            throw DecodingError.dataCorruptedError(
                forKey: .payload, in: container,
                debugDescription: "it is too large: at most \(WireLimits.payloadBytesMaximum) bytes are allowed")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(driver, forKey: .driver)
        try container.encode(payload, forKey: .payload)
        try container.encodeIfPresent(readBack, forKey: .readBack)
        try container.encodeIfPresent(bytesMissing, forKey: .bytesMissing)
        if isUntouched { try container.encode(true, forKey: .isUntouched) }
        if !checksums.isEmpty { try container.encode(checksums.carried, forKey: .checksums) }
    }

    private enum CodingKeys: String, CodingKey { case driver, payload, readBack, bytesMissing, isUntouched, checksums }
}

extension UploadState {
    /// Whether it is small enough for every reader.
    public var fitsMessages: Bool {
        payload.nests(atMost: WireLimits.depthMaximum) && payload.weight <= WireLimits.payloadBytesMaximum
    }

    /// The state without the queries of its URLs, which may be credentials: for readers that do not resume the upload.
    var shown: UploadState {
        var state = self
        state.payload = payload.redacted
        return state
    }

    /// The state without ``isUntouched``.
    public var touched: UploadState {
        var state = self
        state.isUntouched = false
        return state
    }

    public var untouched: UploadState {
        var state = self
        state.isUntouched = true
        return state
    }

    func missing(_ bytes: Int64) -> UploadState {
        var state = self
        state.bytesMissing = bytes
        return state
    }

    /// The open session alone; nil where there is none, because the object was made already.
    var session: UploadState? {
        payload == [:] ? nil : UploadState(driver: driver, payload: payload, checksums: checksums)
    }
}

extension JSONValue {
    fileprivate var redacted: JSONValue {
        switch self {
        case .string(let text) where text.contains("://"): .string(DestinationReference.redact(text))
        case .array(let values): .array(values.map(\.redacted))
        case .object(let fields): .object(fields.mapValues(\.redacted))
        case .null, .bool, .integer, .number, .string: self
        }
    }
}
