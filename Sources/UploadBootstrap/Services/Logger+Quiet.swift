import Logging

extension Logger {
    /// The same without what only those want to know who look for a fault in a library.
    var quiet: Logger {
        var logger = self
        if logger.logLevel > .debug { logger.logLevel = max(.warning, logger.logLevel) }
        return logger
    }
}
