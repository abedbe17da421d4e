final class Driver {
    let core: ConnectionCore
    init(_ core: ConnectionCore) { self.core = core }
    func run() { core.ended.open() }
}
