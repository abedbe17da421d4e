import UploadsAPI

extension Table {
    init(_ entries: [API.AuditEntry], _ time: LocalTime) {
        self.init(
            [
                Column(title: "AT"), Column(title: "BY", minimum: 12), Column(title: "ORDER"),
                Column(title: "WHAT", minimum: 16), Column(title: "RESULT", minimum: 8, dropOrder: 1),
                .wide("ID", isNumber: true), .wide("REASON"),
            ],
            rows: entries.map { entry in
                [
                    time.text(entry.at), entry.by, entry.verb, entry.subject, entry.result, String(entry.id),
                    entry.reason ?? "-",
                ]
            })
    }
}
