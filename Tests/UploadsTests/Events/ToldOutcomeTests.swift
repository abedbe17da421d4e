import Foundation
import Testing

@testable import Uploads

@Suite struct ToldOutcomeTests {
    private let secret = "https://user:word@h/files/1?token=swordfish"

    private func failed() -> UploadEvent {
        let state = UploadState(
            driver: "tus", payload: ["url": .string(secret), "parts": [.string(secret), 7], "text": "a?b#c"])
        var baton = Baton(
            job: UploadJob(
                source: .inline(Data()), destination: .named(DestinationName(unchecked: "x"), key: "k"), size: 1))
        baton.state = state
        let error = UploadError(.serverFailure, "it failed")
        return UploadEvent(outcome: .failed(error, state: state), of: baton, at: Date(timeIntervalSince1970: 0))
    }

    @Test func `an outcome that is told shows no credentials of the state`() throws {
        let told = failed().told
        #expect(told.id.hasSuffix(".ended"))
        #expect(
            told.data.baton.state?.payload
                == ["url": "https://h/files/1", "parts": ["https://h/files/1", 7], "text": "a?b#c"])
        let text = String(decoding: try WireJSON.encode(told), as: UTF8.self)
        #expect(!text.contains("swordfish") && !text.contains("word@"))
    }

    @Test func `the worker that goes on with the upload has all of the state`() {
        #expect(failed().asOutcome.data.baton.state == failed().data.baton.state)
    }
}
