import Uploads

/// Where an upload goes, as far as that is known before its bytes are read.
enum PlannedPlace: Hashable {
    case known(DestinationReference)
    /// The key has `{sha256}` in it, and nothing else that is not known.
    case byDigest(DestinationName, TextTemplate)

    /// For people, and until the bytes are known.
    var reference: DestinationReference { reference(sha256: "{sha256}") }

    /// - Parameter digests: of the bytes; those without SHA-256 change nothing.
    func reference(of digests: Digests) -> DestinationReference {
        digests.sha256.map(reference(sha256:)) ?? reference
    }

    private func reference(sha256: String) -> DestinationReference {
        switch self {
        case .known(let reference): reference
        case .byDigest(let name, let key): .named(name, key: key.filled { _ in sha256 } ?? "")
        }
    }
}
