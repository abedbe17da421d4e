import Testing

@testable import UploadDestinations

struct S3RouteValueTests {
    private let start = ContinuousClock.now

    @Test func `a redirect is followed for five minutes`() {
        var route = S3Route(region: "eu-central-1")
        #expect(route.host(at: start) == nil)
        route.follow("other.example:9000", at: start)
        #expect(route.host(at: start) == "other.example:9000")
        #expect(route.host(at: start + .seconds(299)) == "other.example:9000")
        #expect(route.host(at: start + .seconds(300)) == nil)
    }

    @Test func `what is forgotten is the redirect that failed, and no later one`() {
        var route = S3Route(region: "eu-central-1")
        route.follow("a.example", at: start)
        route.follow("b.example", at: start)
        route.forget("a.example")
        #expect(route.host(at: start) == "b.example")
        route.forget("b.example")
        #expect(route.host(at: start) == nil)
    }

    @Test func `in another region a redirect of the first one says nothing`() {
        var route = S3Route(region: "eu-central-1")
        route.follow("a.example", at: start)
        route.move(to: "eu-west-1")
        #expect(route.region == "eu-west-1" && route.host(at: start) == nil)
    }
}
