/// Bytes read from a source in one go, about 1 MiB at most.
public typealias SourceBuffer = [UInt8]
