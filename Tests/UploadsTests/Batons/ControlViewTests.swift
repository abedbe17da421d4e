import Foundation
import Testing

@testable import Uploads

@Suite struct ControlViewTests {
    typealias H = SliceHarness

    @Test func `the highest fence holds, whatever the order`() {
        let job = H.job()
        var view = ControlView()
        for generation in [2, 5, 3] { view.apply(.fence([job.id: generation])) }
        view.apply(.snapshot(ControlView()))
        #expect(view.fence(of: job.id) == 5)
        #expect(view.standing(of: H.baton(job, generation: 4)) == .superseded)
        #expect(view.standing(of: H.baton(job, generation: 5)) == .holds)
    }

    @Test func `a pause holds up to the generation that it names, until lifted, and not for a cancel`() {
        let job = H.job()
        var view = ControlView()
        view.apply(.pause([job.id: 2]))
        #expect(view.standing(of: H.baton(job, generation: 2)) == .paused)
        #expect(view.standing(of: H.baton(job, generation: 3)) == .holds)
        #expect(view.standing(of: H.baton(job, generation: 2, isCancel: true)) == .holds)
        view.apply(.lift([job.id]))
        #expect(view.standing(of: H.baton(job, generation: 2)) == .holds)
    }
}
