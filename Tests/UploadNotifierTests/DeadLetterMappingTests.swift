import Foundation
import Testing
import UploadsAPI

@testable import UploadNotifier

@Suite("What an API client sees of a dead letter") struct DeadLetterMappingTests {
    @Test(arguments: [
        ("see https://host/a?sig=1 there", "see https://host/a?… there"),
        ("https://host/a?\u{301}sig=1", "https://host/a?…"), (#"{"data" : "AAAA"}"#, #"{"data":"…"}"#),
        ("{\"data\":\"\u{301}AAAA\"}", #"{"data":"…"}"#),
    ]) func `queries of URLs and inline bytes are left out`(body: String, shown: String) {
        #expect(API.DeadLetter.redact(Data(body.utf8), 100).unicodeScalars.elementsEqual(shown.unicodeScalars))
    }
}
