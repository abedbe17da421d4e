/// A recommendation of a survey.
public struct SurveyAdvice: Hashable, Sendable, Encodable {
    /// A line of the destination's configuration, such as `etag: md5`; nil where the operator has to do something else.
    public var setting: String?
    public var reason: String

    public init(_ setting: String?, _ reason: String) {
        self.setting = setting
        self.reason = reason
    }
}
