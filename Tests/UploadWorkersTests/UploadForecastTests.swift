import Testing

@testable import UploadWorkers

@Suite struct UploadForecastTests {
    /// Progress that is noted once a second.
    private func firstLate(_ forecast: UploadForecast, until end: Int = 100, _ done: (Int) -> Int64) -> Int? {
        var forecast = forecast
        return (1...end).first { forecast.note(done($0), at: .seconds($0)) != nil }
    }

    private let forecast = UploadForecast(size: 1000, end: .seconds(100))

    @Test func `a late file is forecast at half of the time, and one in time never`() {
        #expect(firstLate(forecast) { Int64($0 * 9) } == 50)
        #expect(firstLate(forecast) { Int64($0 * 11) } == nil)
    }

    @Test func `what held it up before its first byte does not count`() {
        #expect(firstLate(forecast) { Int64(max(0, $0 - 45) * 30) } == nil)
        #expect(firstLate(forecast) { Int64(max(0, $0 - 45) * 10) } == 71, "a quarter of the time was spent on sending")
    }

    @Test func `what is sent again begins anew`() {
        #expect(firstLate(forecast) { $0 < 40 ? Int64($0) : Int64(($0 - 39) * 20) } == nil)
        #expect(firstLate(forecast, until: 60) { _ in 0 } == nil)
    }
}
