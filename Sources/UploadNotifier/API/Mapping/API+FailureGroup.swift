import Uploads
import UploadsAPI

extension API.FailureGroup {
    init(_ group: FailureGroup) {
        self.init(
            destination: group.destination, error: group.code.description, jobs: group.count,
            firstEndedAt: group.firstEndedAt, lastEndedAt: group.lastEndedAt, newest: group.newest?.rawValue,
            message: group.message)
    }
}
