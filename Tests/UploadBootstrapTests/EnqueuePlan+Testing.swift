import Foundation
import Testing
import UploadSources
import Uploads

@testable import UploadBootstrap

extension JobMaker {
    /// - Parameter area: takes copies and keys.
    init(plan: EnqueuePlan, area: StagingArea?) {
        self.init(plan: plan, copies: area, area: area)
    }
}

extension EnqueuePlan {
    /// The plan of a request.
    /// - Parameter manifest: the text of the manifest, if the request names one.
    init(
        _ request: EnqueueRequest, manifest: String? = nil, destinations: Set<DestinationName>? = nil,
        canStage: Bool = true, now: Date = Date(), cacheBytes: Int = PlanFile.cacheBytes
    ) throws(ProgramError) {
        try self.init(
            request, manifest: manifest.map { Array($0.utf8) }, destinations: destinations,
            canStage: canStage, now: now, cacheBytes: cacheBytes)
    }

    init(
        _ request: EnqueueRequest, manifest: [UInt8]?, destinations: Set<DestinationName>? = nil,
        canStage: Bool = true, now: Date = Date(), cacheBytes: Int = PlanFile.cacheBytes
    ) throws(ProgramError) {
        var planner = try EnqueuePlanner(
            request, destinations: destinations, canStage: canStage, now: now, cacheBytes: cacheBytes)
        try planner.addPaths()
        let name = request.manifest?.description ?? ""
        var lines = TextLines()
        try lines.add(manifest ?? []) { line, number throws(ProgramError) in
            try planner.add(line: line, number: number, of: name)
        }
        try lines.finish { line, number throws(ProgramError) in
            try planner.add(line: line, number: number, of: name)
        }
        self = try planner.finish()
    }

    /// All uploads of the plan as an array.
    var uploads: [PlannedUpload] {
        (0..<count).compactMap { position in
            do throws(UploadError) {
                return try upload(at: position)
            } catch {
                Issue.record(error)
                return nil
            }
        }
    }

    var notes: [String] {
        var notes: [String] = []
        #expect(throws: Never.self) { try file.forEachNote { notes.append($0) } }
        return notes
    }
}
