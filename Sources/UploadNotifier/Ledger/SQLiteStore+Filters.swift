import Uploads

/// The jobs that an order with a filter is about.
extension SQLiteStore {
    func page(_ filter: OrderFilter, for verb: Verb, after job: JobID?, limit: Int) throws -> OrderFilterPage {
        try OrderSearch(filter, verb, in: db).page(after: job, limit: limit)
    }

    func count(_ filter: OrderFilter, for verb: Verb) throws -> Int { try OrderSearch(filter, verb, in: db).count() }
}
