import Foundation
import Testing
import Uploads

struct StoredObjectTests {
    private func object(verified: String) throws -> StoredObject {
        let json = #"{"location": "s3://b/k", "digests": {}, "verified": "\#(verified)"}"#
        return try WireJSON.decode(StoredObject.self, from: Data(json.utf8))
    }

    @Test(arguments: [StoredObject.Proof.readBack, .checksum, .etag])
    func `what proved it is known by its word`(proof: StoredObject.Proof) throws {
        #expect(try object(verified: proof.rawValue).verified == proof)
    }

    /// Otherwise a worker of a later version would publish ends that this version's notifier cannot read.
    @Test func `a proof that is not known is none, and no reason to refuse the message`() throws {
        #expect(try object(verified: "attestation").verified == nil)
        #expect(throws: DecodingError.self) { try object(verified: String(repeating: "x", count: 2000)) }
    }
}
