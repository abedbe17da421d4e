import Testing
import Uploads

@testable import UploadNotifier

@Suite("Addresses that webhooks may reach")
struct AddressGuardTests {
    @Test func `every refused range is one`() {
        #expect(AddressGuard.refused.count == AddressGuard.refusedTexts.count)
    }

    @Test(arguments: [
        "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12::1",
        "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fec0::1",
        "2001::1", "2001:db8::1",
    ])
    func `what is not public is refused`(text: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect(!AddressGuard(allowed: []).permits(address))
    }

    @Test(arguments: [
        "93.184.216.34", "172.15.255.255", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1", "::ffff:93.184.216.34",
        "11.0.0.1", "223.255.255.255",
    ])
    func `what is public is permitted`(text: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect(AddressGuard(allowed: []).permits(address))
    }

    @Test func `an allowed network is permitted to its edges and no further`() throws {
        let inside = AddressGuard(allowed: [try NetworkRange("10.1.0.0/17")])
        for (text, isPermitted) in [
            ("10.1.0.0", true), ("10.1.127.255", true), ("10.1.128.0", false), ("10.2.0.1", false),
        ] {
            #expect(inside.permits(try #require(NetworkAddress(text))) == isPermitted, "\(text)")
        }
        #expect(inside.permits(try #require(NetworkAddress("::ffff:10.1.0.1"))))
    }

    @Test(arguments: ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "", "fd00::/129", "example.com", "10.0.0.0/"])
    func `a text that is no network is refused with what is expected`(text: String) {
        let error = #expect(throws: UploadError.self) { _ = try NetworkRange(text) }
        #expect(error?.code == .misconfigured)
    }
}
