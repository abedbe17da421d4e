package import Logging
package import UploadSources
import Uploads

extension StagingArea {
    /// Removes the unfinished copies of dead programs, and logs it. A failure does not prevent that a manager is
    /// opened.
    package func sweepUnfinished(_ logger: Logger) async {
        do {
            let swept = try await sweepUnfinished()
            guard swept.count > 0 else { return }
            logger.info(
                "removed the unfinished copies of a program that died",
                metadata: ["directory": "\(path)", "files": "\(swept.count)", "bytes": "\(swept.bytes)"])
        } catch {
            logger.warning(
                "the unfinished copies of a program that died cannot be removed",
                metadata: ["error": "\(error.message)"])
        }
    }
}
