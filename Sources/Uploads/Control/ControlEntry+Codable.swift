import Foundation

extension ControlEntry: Codable {
    private enum Key: String, CodingKey { case kind, generations, jobs, queue, view, id }
    private enum Kind: String, Codable { case fence, pause, lift, forget, queueStopped, queueStarted, snapshot, marker }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func generations() throws -> [JobID: Int] {
            try container.decode([JobID: Int].self, forKey: .generations)
        }
        switch try container.decode(Kind.self, forKey: .kind) {
        case .fence: self = .fence(try generations())
        case .pause: self = .pause(try generations())
        case .lift: self = .lift(try container.decode([JobID].self, forKey: .jobs))
        case .forget: self = .forget(try generations())
        case .queueStopped: self = .queueStopped(try container.decode(QueueName.self, forKey: .queue))
        case .queueStarted: self = .queueStarted(try container.decode(QueueName.self, forKey: .queue))
        case .snapshot: self = .snapshot(try container.decode(ControlView.self, forKey: .view))
        case .marker: self = .marker(try container.decode(UUID.self, forKey: .id))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .fence(let generations):
            try container.encode(Kind.fence, forKey: .kind)
            try container.encode(generations, forKey: .generations)
        case .pause(let generations):
            try container.encode(Kind.pause, forKey: .kind)
            try container.encode(generations, forKey: .generations)
        case .lift(let jobs):
            try container.encode(Kind.lift, forKey: .kind)
            try container.encode(jobs, forKey: .jobs)
        case .forget(let generations):
            try container.encode(Kind.forget, forKey: .kind)
            try container.encode(generations, forKey: .generations)
        case .queueStopped(let queue):
            try container.encode(Kind.queueStopped, forKey: .kind)
            try container.encode(queue, forKey: .queue)
        case .queueStarted(let queue):
            try container.encode(Kind.queueStarted, forKey: .kind)
            try container.encode(queue, forKey: .queue)
        case .snapshot(let view):
            try container.encode(Kind.snapshot, forKey: .kind)
            try container.encode(view, forKey: .view)
        case .marker(let id):
            try container.encode(Kind.marker, forKey: .kind)
            try container.encode(id, forKey: .id)
        }
    }
}
