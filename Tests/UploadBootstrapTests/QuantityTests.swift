import Testing
import Uploads

@testable import UploadBootstrap

struct QuantityTests {
    @Test(arguments: [
        ("25s", 25.0), ("5m", 300), ("2h", 7200), ("1d", 86_400), ("500ms", 0.5), ("1.5h", 5400), ("1h30m", 5400),
        ("0", 0),
    ])
    func `durations are read`(text: String, seconds: Double) { #expect(Quantity.seconds(text) == seconds) }

    @Test(arguments: ["", "5", "m", "5x", "-5s", "5 m", ".5s", "5.s", "1e3s", "5m3"])
    func `what is no duration is refused`(text: String) { #expect(Quantity.seconds(text) == nil) }

    @Test(arguments: [
        ("0", Int64(0)), ("4096", 4096), ("1KiB", 1024), ("100MiB", 100 << 20), ("1.5GiB", 3 << 29),
        ("2GB", 2_000_000_000),
        ("7 B", 7), ("1TiB", 1 << 40),
    ])
    func `sizes are read`(text: String, bytes: Int64) { #expect(Quantity.bytes(text) == bytes) }

    @Test(arguments: ["", "MiB", "1mib", "1MiBs", "-1", "1 0", "99999999999TiB"])
    func `what is no size is refused`(text: String) { #expect(Quantity.bytes(text) == nil) }

    @Test(arguments: [
        (Int64(0), "0 B"), (999, "999 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (10_240, "10.0 KiB"),
        (64 << 20, "64.0 MiB"),
        (1_048_575, "1.00 MiB"), (1 << 30, "1.00 GiB"), (500 << 30, "500 GiB"),
    ])
    func `sizes are shown with three digits`(bytes: Int64, text: String) {
        #expect(Quantity.text(bytes: bytes) == text)
    }

    @Test(arguments: [(0.0, "0"), (0.25, "250ms"), (25, "25s"), (300, "5m"), (5400, "1h30m"), (86_400, "1d")])
    func `durations are shown as they are written`(seconds: Double, text: String) {
        #expect(Quantity.text(seconds: seconds) == text)
        #expect(Quantity.seconds(text) == seconds)
    }

    @Test func `one slip of the finger is a distance of one`() {
        #expect(EditDistance.between("broker", "broker") == 0)
        #expect(EditDistance.between("brkoer", "broker") == 1)
        #expect(EditDistance.between("brokr", "broker") == 1)
        #expect(EditDistance.between("", "abc") == 3)
        #expect(EditDistance.nearest(to: "xyz", among: ["broker", "staging"]) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:9701", HTTPAddress.listen(host: "127.0.0.1", port: 9701)),
        ("[::1]:80", .listen(host: "::1", port: 80)),
        ("host:0", .listen(host: "host", port: 0)), ("off", .off),
    ])
    func `addresses are read and shown`(text: String, address: HTTPAddress) {
        #expect(HTTPAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: ["", "9701", ":9701", "host", "host:", "host:70000", "::1:80", "host:x"])
    func `what is no address is refused`(text: String) { #expect(HTTPAddress(text) == nil) }
}
