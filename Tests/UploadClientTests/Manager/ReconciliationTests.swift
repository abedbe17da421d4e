import Testing
import Uploads

@testable import UploadClient

@Suite("What becomes of an upload whose program died while it was being accepted") struct ReconciliationTests {
    private func decide(
        hasEnded: Bool = false, isHeld: Bool? = nil, isWhole: Bool = true, isKeyed: Bool = false
    ) -> Reconciliation {
        Reconciliation.decide(hasEnded: hasEnded, isHeld: isHeld, isWhole: isWhole, isKeyed: isKeyed)
    }

    @Test func `one whose outcome is noted is not started again`() {
        for isHeld in [true, false, nil] {
            #expect(decide(hasEnded: true, isHeld: isHeld) == .forget)
            #expect(decide(hasEnded: true, isHeld: isHeld, isWhole: false) == .forget)
        }
    }

    @Test func `one that was accepted is awaited`() {
        for isWhole in [true, false] { #expect(decide(isHeld: true, isWhole: isWhole) == .expect) }
    }

    @Test func `one whose order is there is accepted, also where it may have been accepted before`() {
        #expect(decide(isHeld: false) == .accept)
        #expect(decide(isHeld: nil) == .accept)
        #expect(decide(isHeld: false, isKeyed: true) == .accept)
    }

    @Test func `one whose order is cut is removed, and its copy where no job and no key can need it`() {
        #expect(decide(isHeld: false, isWhole: false) == .remove(withCopy: true))
        #expect(decide(isHeld: nil, isWhole: false) == .remove(withCopy: false))
        #expect(decide(isHeld: false, isWhole: false, isKeyed: true) == .remove(withCopy: false))
    }

    @Test func `what a program was staging is read from its file, and nothing else`() {
        let copy = JobID(), key = JobID()
        for noted in [ProgramCopy(name: copy.rawValue, keyed: nil), ProgramCopy(name: copy.rawValue, keyed: key)] {
            #expect(ProgramCopy(Substring(noted.line)) == noted)
        }
        for line in ["", "no id", "../\(copy)"] { #expect(ProgramCopy(Substring(line)) == nil) }
    }
}
