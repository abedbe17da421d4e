/// A version of draft-ietf-httpbis-resumable-upload, by the number with which servers tell drafts apart ("Draft Version Identification").
public enum ResumableInterop: Int, CaseIterable, Hashable, Sendable {
    /// Draft -01: `Upload-Incomplete`.
    case v3 = 3
    /// Draft -03: `Upload-Complete`.
    case v5 = 5
    /// Drafts -04 and -05: a media type for parts, `Upload-Limit`, digests; `Upload-Length` and OPTIONS from -05 on.
    case v6 = 6
    /// Drafts -06 to -08: answers need not say the offset; the limit `expires` is called `max-age`.
    case v7 = 7
    /// Drafts -09 to -11: `Accept-Patch` in the answer to OPTIONS.
    case v8 = 8

    /// The header that says whether a request ends the upload (`Upload-Complete`; in draft -01 `Upload-Incomplete` with the opposite value).
    func completeness(_ isComplete: Bool) -> (name: String, value: String) {
        self == .v3
            ? ("upload-incomplete", isComplete ? "?0" : "?1") : ("upload-complete", isComplete ? "?1" : "?0")
    }

    /// The content type of a PATCH, required from draft -04 on.
    var partType: String? { rawValue >= 6 ? "application/partial-upload" : nil }
    var hasLength: Bool { rawValue >= 6 }
    /// Whether the version has "Integrity Digests" (from draft -04 on).
    var hasDigests: Bool { rawValue >= 6 }
    /// Whether the answer to the last part has to say that the upload is complete (draft -06, "Upload Append").
    var saysComplete: Bool { rawValue >= 7 }
}
