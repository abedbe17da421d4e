public import Uploads

extension S3Destination: SurveyedDestination {
    public func survey(
        _ name: DestinationName, below prefix: String, tell: @escaping @Sendable (SurveyFinding) -> Void
    ) async -> [SurveyAdvice] {
        let survey = S3Survey(client, name, below: prefix, tell: tell)
        await survey.run()
        return survey.measured.advice(
            for: configuration, effective: client.conditions, isPlain: client.location(nil).hasPrefix("http:"))
    }
}
