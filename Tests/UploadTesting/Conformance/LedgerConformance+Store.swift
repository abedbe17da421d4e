import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let storing: [Rule] = []
}
