import Foundation
import Testing
import UploadClient
import UploadTesting
import Uploads

extension UploadManagerConformance {
    static let telling = [
        Rule("the delegate is told of each outcome once, under the id of its round") { suite in
            let manager = try await suite.open()
            let delegate = Told()
            try await manager.setDelegate(delegate)
            suite.rig.gate.refuse()
            let failing = try await manager.upload(try suite.file("no.bin"), to: "archive:no.bin")
            await #expect(throws: UploadFailure.self) { _ = try await failing.completion }
            let good = try await manager.upload(try suite.file("yes.bin"), to: "archive:yes.bin")
            _ = try await good.completion
            try await eventually("both are told") { delegate.outcomes.count == 2 }
            #expect(Set(delegate.ids) == ["\(failing.id).1.ended", "\(good.id).1.ended"])
            let failed = try #require(delegate.outcomes.first { $0.job.id == failing.id })
            guard case .failure(let failure) = failed.result else { throw DidNotHappen("a failure") }
            #expect(failure.reason == .rejected && failure.state?.id == failing.id)
            #expect(failure.response?.status == 422 && failure.response?.body == "no")
            // Another manager of the same identifier has no outcome left to deliver.
            await manager.close()
            let later = try await suite.open()
            let second = Told()
            try await later.setDelegate(second)
            let count = try await later.handlePendingEvents()
            #expect(count == 0 && second.outcomes.isEmpty && delegate.outcomes.count == 2)
        },
        Rule("uploads that ended without a delegate are told to the delegate that comes") { suite in
            let manager = try await suite.open()
            var ids: [JobID] = []
            for name in ["a", "b", "c"] {
                ids.append(try await manager.upload(try suite.file(name), to: "archive:\(name)").id)
            }
            for id in ids { try await suite.waitForEnd(of: id, manager) }
            await manager.close()
            let delegate = try await suite.delegateOfNextRun()
            #expect(Set(delegate.ids) == Set(ids.map { "\($0).1.ended" }) && delegate.ids.count == 3)
        },
        Rule("pending events are handled with a callback as well") { suite in
            let manager = try await suite.open()
            let id = try await manager.upload(try suite.file("a"), to: "archive:a").id
            try await suite.waitForEnd(of: id, manager)
            let delegate = Told()
            try await manager.setDelegate(delegate)
            let done = Box(false)
            manager.handlePendingEvents { result in
                if case .success = result { done.change { $0 = true } }
            }
            try await eventually("it has called back") { done.value }
            #expect(delegate.ids == ["\(id).1.ended"])
        },
        Rule("what the delegate refuses is told again, under the same id") { suite in
            let manager = try await suite.open()
            let delegate = Told(refusing: 1)
            try await manager.setDelegate(delegate)
            let handle = try await manager.upload(try suite.file("a"), to: "archive:a")
            _ = try await handle.completion
            try await eventually("it is told at last") { delegate.ids == ["\(handle.id).1.ended"] }
        },
        Rule("programs with one identifier see all, and who started an upload is told of it") { suite in
            let app = try await suite.open()
            let share = try await suite.open()
            let (appDelegate, shareDelegate) = (Told(), Told())
            try await app.setDelegate(appDelegate)
            try await share.setDelegate(shareDelegate)
            suite.rig.gate.hold()
            let mine = try await app.upload(try suite.file("mine"), to: "archive:mine")
            let theirs = try await share.upload(try suite.file("theirs"), to: "archive:theirs")
            for manager in [app, share] {
                let seen = try await manager.uploads().map(\.id)
                #expect(Set(seen) == [mine.id, theirs.id])
            }
            let followed = try #require(try await app.handle(for: theirs.id))
            suite.rig.gate.letGo()
            _ = try await mine.completion
            _ = try await theirs.completion
            _ = try await followed.completion
            try await eventually("both are told") {
                appDelegate.outcomes.count == 1 && shareDelegate.outcomes.count == 1
            }
            #expect(appDelegate.outcomes.map(\.job.id) == [mine.id])
            #expect(shareDelegate.outcomes.map(\.job.id) == [theirs.id])
        },
        Rule("when who started it is gone, another program of the identifier is told") { suite in
            let share = try await suite.open()
            let app = try await suite.open()
            let delegate = Told()
            try await app.setDelegate(delegate)
            suite.rig.gate.hold()
            let id = try await share.upload(try suite.file("a"), to: "archive:a").id
            await share.close()
            suite.rig.gate.letGo()
            try await eventually("the other one is told") { delegate.ids == ["\(id).1.ended"] }
        },
        Rule("another identifier is another world") { suite in
            let manager = try await suite.open()
            let stranger = try await suite.rig.open(try UploadIdentifier(UniqueNames.make("stranger")))
            let delegate = Told()
            try await stranger.setDelegate(delegate)
            suite.rig.gate.hold()
            let handle = try await manager.upload(try suite.file("a"), to: "archive:a")
            let seen = try await stranger.uploads()
            let found = try await stranger.handle(for: handle.id)
            #expect(seen.isEmpty && found == nil)
            suite.rig.gate.letGo()
            _ = try await handle.completion
            _ = try await stranger.handlePendingEvents()
            #expect(delegate.outcomes.isEmpty)
        },
        Rule("a program that sets a delegate, uploads, awaits and closes has its delegate told") { suite in
            for round in 1...5 {
                let manager = try await suite.open()
                let delegate = Told()
                try await manager.setDelegate(delegate)
                var ids: [JobID] = []
                for name in ["a", "b", "c"] {
                    let handle = try await manager.upload(try suite.file(name), to: "archive:\(round)-\(name)")
                    _ = try await handle.completion
                    ids.append(handle.id)
                }
                await manager.close()
                #expect(delegate.ids.sorted() == ids.map { "\($0).1.ended" }.sorted())
            }
        },
        Rule("what a handle gave is told to a delegate that is set later in the same run") { suite in
            let manager = try await suite.open()
            let handle = try await manager.upload(try suite.file("a"), to: "archive:a")
            _ = try await handle.completion
            // Without a delegate this delivers no outcome, and none counts as delivered.
            let count = try await manager.handlePendingEvents()
            let delegate = Told()
            try await manager.setDelegate(delegate)
            _ = try await manager.handlePendingEvents()
            #expect(count == 0 && delegate.ids == ["\(handle.id).1.ended"])
        },
        Rule("what the delegate refuses until the manager is closed is told in the next run") { suite in
            let manager = try await suite.open()
            let delegate = Told(refusing: 1_000_000)
            try await manager.setDelegate(delegate)
            let handle = try await manager.upload(try suite.file("a"), to: "archive:a")
            _ = try await handle.completion
            await manager.close()
            let second = try await suite.delegateOfNextRun()
            #expect(delegate.ids.isEmpty && second.ids == ["\(handle.id).1.ended"])
        },
        Rule("a delegate that is taken away leaves what was not told to the next one") { suite in
            let manager = try await suite.open()
            let first = Told(refusing: 1_000_000)
            try await manager.setDelegate(first)
            try await manager.setDelegate(nil)
            let handle = try await manager.upload(try suite.file("a"), to: "archive:a")
            _ = try await handle.completion
            await manager.close()
            let second = try await suite.delegateOfNextRun()
            #expect(first.ids.isEmpty && second.ids == ["\(handle.id).1.ended"])
        },
        Rule("what the handles of a program without a delegate gave counts as told when it closes") { suite in
            let manager = try await suite.open()
            let taken = try await manager.upload(try suite.file("a"), to: "archive:a")
            _ = try await taken.completion
            let left = try await manager.upload(try suite.file("b"), to: "archive:b").id
            try await suite.waitForEnd(of: left, manager)
            await manager.close()
            let delegate = try await suite.delegateOfNextRun()
            #expect(delegate.ids == ["\(left).1.ended"])
        },
    ]
}
