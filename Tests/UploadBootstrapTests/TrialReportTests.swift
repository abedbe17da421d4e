import Testing
import Uploads

@testable import UploadBootstrap

/// The output of `uploadctl destination test` about a survey.
struct TrialReportTests {
    private let denied = SurveyFinding(
        "list unfinished uploads", .no,
        "ListMultipartUploads https://s3.example/b was answered 403 AccessDenied: the credentials are not good for this",
        missingRight: "s3:ListBucketMultipartUploads")

    @Test func `a row fits 80 columns, and its text stands in one column`() {
        let lines = TrialReport.lines(denied)
        #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 80 }, "\(lines)")
        #expect(lines[0].hasPrefix("  no      list unfinished uploads  ListMultipartUploads"))
        #expect(lines[1].hasPrefix(String(repeating: " ", count: 35)) && lines[1].dropFirst(35).first != " ")
        #expect(TrialReport.lines(SurveyFinding("write an object", .no, "x", isNeeded: true))[0].hasPrefix("  NO "))
        #expect(TrialReport.lines(SurveyFinding("life-cycle rule", .unknown, "x"))[0].hasPrefix("  ?  "))
        let steering = TrialReport.lines(SurveyFinding("list parts", .no, "a\u{1b}[2Jb"))
        #expect(!steering[0].contains("\u{1b}"))
    }

    @Test func `what is to be configured can be copied as it stands`() {
        var report = TrialReport(destination: "photos", driver: "s3")
        report.abilities = [denied, denied]
        report.advice = [
            SurveyAdvice("etag: md5", String(repeating: "its ETags are MD5 ", count: 8)),
            SurveyAdvice(nil, "give the bucket a rule"),
        ]
        let lines = report.adviceLines
        #expect(lines.first == "Missing rights: s3:ListBucketMultipartUploads")
        let yaml = lines.drop { $0 != "Put into the configuration of 'photos':" }.dropFirst().dropLast()
        #expect(yaml.last == "  etag: md5" && yaml.dropLast().allSatisfy { $0.hasPrefix("  # ") }, "\(lines)")
        #expect(lines.last == "Give the bucket a rule.")
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func `it works unless something is missing that every upload needs`() {
        var report = TrialReport(destination: "photos", driver: "s3")
        #expect(report.works && report.verdict.contains("as far as it was tried"))
        report.abilities = [denied]
        #expect(report.works && report.verdict == "'photos' works, as seen from this host")
        report.abilities.append(SurveyFinding("write in parts", .no, "x", isNeeded: true))
        #expect(!report.works && report.verdict == "'photos' does not work from this host: it cannot write in parts")
        report.abilities = [SurveyFinding("write an object", .unknown, "x", isNeeded: true)]
        let verdict = "'photos' could not be tried from this host: whether it can write an object is not known"
        #expect(!report.works && report.verdict == verdict)
        report.abilities = [SurveyFinding("lock objects", .unknown, "x")]
        #expect(report.works)
    }
}
