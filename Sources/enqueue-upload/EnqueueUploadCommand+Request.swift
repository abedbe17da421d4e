import UploadBootstrap
import Uploads

extension EnqueueUploadCommand {
    /// What the command line asks for; nil with `--check-config` alone.
    /// - Throws: `usage`.
    func request() throws(ProgramError) -> EnqueueRequest? {
        if common.checkConfig { return nil }
        guard let to else {
            throw ProgramError(.usage, "--to is missing: say where the files belong, as in --to photos:2026/")
        }
        var request = EnqueueRequest(paths: paths, destination: try DestinationArgument(to))
        if let queue {
            do throws(UploadError) {
                request.queue = try QueueName(queue)
            } catch {
                throw ProgramError(.usage, "--queue: \(error.message)")
            }
        }
        if let priority {
            guard let lane = Lane(rawValue: priority), lane != .continued else {
                throw ProgramError(.usage, "--priority \(priority): expected urgent, normal or bulk")
            }
            request.priority = lane
        }
        if let maxAttempts, !(1...1000).contains(maxAttempts) {
            throw ProgramError(.usage, "--max-attempts \(maxAttempts): expected a whole number from 1 to 1000")
        }
        for pair in metadata {
            guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else {
                throw ProgramError(.usage, "--metadata \(pair): expected KEY=VALUE")
            }
            request.metadata[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
        }
        request.contentType = contentType
        request.maxAttempts = maxAttempts
        request.stages = !noStage
        request.manifest = manifest
        request.waits = wait
        request.printsJSON = json
        return request
    }
}
