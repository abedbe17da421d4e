import Uploads

/// The measured abilities of a server, and the advice that follows from them. Pure values.
struct S3Measurements: Hashable, Sendable {
    /// The results of writes under conditions.
    struct Conditioned: Hashable, Sendable {
        /// How the server treats a condition.
        enum Answer: Hashable, Sendable {
            case obeyed
            /// The server writes although the condition does not hold.
            case ignored
            /// The server refuses the write although the condition holds.
            case refused
            /// The server says that it does not support the condition.
            case lacking
        }

        /// `If-None-Match: *` where an object exists.
        var absent: Answer?
        /// `If-Match` with another object's ETag.
        var other: Answer?
        /// `If-Match` with the object's own ETag.
        var own: Answer?

        /// nil where it is not known.
        var isObeyed: Bool? {
            let answers = [absent, other, own]
            if answers.contains(where: { $0 != nil && $0 != .obeyed }) { return false }
            return answers.contains(nil) ? nil : true
        }

        /// The results in words.
        var words: String {
            let all: [(String, Answer?)] = [
                ("If-None-Match", absent), ("If-Match with another ETag", other), ("If-Match with the right ETag", own),
            ]
            let problems = all.compactMap { name, answer -> String? in
                switch answer {
                case .ignored: "it writes in spite of \(name)"
                case .refused: "it refuses \(name)"
                case .lacking: "it says that it does not have \(name)"
                case .obeyed, nil: nil
                }
            }
            if !problems.isEmpty { return problems.joined(separator: "; ") }
            return isObeyed == true ? "If-None-Match and If-Match are obeyed" : "not all of it could be tried"
        }
    }

    var put = Conditioned()
    var completion = Conditioned()
    /// Whether a wrong checksum was refused.
    var comparesChecksums: Bool?
    /// Whether answers to writes report the checksum of the stored bytes.
    var tellsChecksums: Bool?
    var isETagMD5: Bool?
    var isPartedETagMD5: Bool?
    /// Whether the bucket removes unfinished uploads by itself.
    var removesUnfinished: Bool?

    /// The conditions on which the destination may rely; nil where that is not known.
    var conditions: S3Configuration.Conditions? {
        guard let puts = put.isObeyed else { return nil }
        guard puts else { return S3Configuration.Conditions.none }
        return completion.isObeyed.map { $0 ? .all : .put }
    }

    /// - Parameters:
    ///   - effective: the conditions on which the driver relies now; nil where it does not know.
    ///   - isPlain: whether requests go over plain http.
    func advice(
        for configuration: S3Configuration, effective: S3Configuration.Conditions?, isPlain: Bool
    ) -> [SurveyAdvice] {
        var advice: [SurveyAdvice] = []
        if conditions == S3Configuration.Conditions.none, put.absent == .obeyed {
            advice.append(
                SurveyAdvice(
                    nil,
                    "leave conditions out of the configuration: of them it obeys If-None-Match of PutObject, which is sent besides the looks "
                        + "before and after each write then"))
        } else if let conditions, conditions != effective {
            let reason =
                switch conditions {
                case .all: "it obeys conditions, so that no write has to look before and after"
                case .put: "it obeys conditions of PutObject, and not of CompleteMultipartUpload"
                case .none: "it does not obey conditions: the driver looks at the object before and after a write"
                }
            advice.append(SurveyAdvice("conditions: \(conditions.rawValue)", reason))
        }
        let areMD5 = isETagMD5.flatMap { small in isPartedETagMD5.map { small && $0 } }
        if configuration.etagMeaning == nil, areMD5 == true, comparesChecksums != true || tellsChecksums != true {
            let lack =
                comparesChecksums == true
                ? "it does not report the checksum of stored bytes" : "it compares no checksums"
            advice.append(SurveyAdvice("etag: md5", "\(lack), and its ETags are MD5: another one is a failure then"))
        }
        if configuration.etag == .md5, areMD5 == false {
            advice.append(
                SurveyAdvice("etag: opaque", "its ETags are not the MD5 of the sent bytes: every upload would fail"))
        }
        if isPlain, !configuration.signsPayload {
            advice.append(SurveyAdvice("signPayload: true", "over plain http a bit that flips on the way is found so"))
        }
        if removesUnfinished == false {
            advice.append(
                SurveyAdvice(
                    nil,
                    "give the bucket a life-cycle rule that aborts incomplete multipart uploads: an upload whose id the worker never got, "
                        + "because an answer was lost, stays there for ever otherwise"))
        }
        return advice
    }
}
