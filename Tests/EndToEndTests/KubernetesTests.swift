import Foundation
import Testing
import UploadTesting

/// `deploy/kubernetes`: built by kubectl, validated against the schemas of Kubernetes, and compared with the programs.
@Suite(.timeLimit(.minutes(10))) struct KubernetesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../deploy/kubernetes").standardized
    private static let overlays = ["base", "overlays/small", "overlays/autoscaled"]
    /// Their schemas are KEDA's own, and in no package.
    private static let unvalidated: Set = ["ScaledObject", "TriggerAuthentication"]

    private typealias Object = [String: Any]

    /// The objects of an overlay, as Kubernetes would get them, and their file.
    private func build(_ overlay: String, _ scratch: TemporaryDirectory) async throws -> (
        objects: [Object], file: String
    ) {
        let kubectl = try TestProgram.path("kubectl")
        let path = Self.folder.appending(path: overlay).path
        let (output, errors) = try await Spawn.onThread { try Spawn.run(kubectl, ["kustomize", path]) }
        try #require(output.status == 0, "\(errors)")
        let file = try scratch.write(Array(output.text.utf8), to: "built.yaml")
        let objects = try await YAMLFile.documents(of: file).compactMap { $0 as? Object }
        return (objects, file)
    }

    private func value(_ object: Any?, _ path: Any...) -> Any? {
        path.reduce(object) { found, step in
            switch step {
            case let name as String: (found as? Object)?[name]
            case let index as Int: (found as? [Any]).flatMap { $0.indices.contains(index) ? $0[index] : nil }
            default: nil
            }
        }
    }

    private func object(_ kind: String, _ name: String, in objects: [Object]) throws -> Object {
        try #require(
            objects.first { object in
                object["kind"] as? String == kind
                    && (value(object, "metadata", "name") as? String)?.hasPrefix(name) == true
            }, "\(kind) \(name)")
    }

    @Test(arguments: overlays)
    func everyObjectIsAsTheSchemasOfKubernetesSay(overlay: String) async throws {
        let scratch = try TemporaryDirectory()
        let (objects, file) = try await build(overlay, scratch)
        let validate = try TestProgram.path("kubernetes-validate")
        let told = try await Spawn.output(of: validate, ["--strict", file]).text
        let kinds = objects.compactMap { $0["kind"] as? String }
        #expect(
            told.components(separatedBy: "passed for resource").count - 1
                == kinds.count { !Self.unvalidated.contains($0) })
        for line in told.split(separator: "\n") where !line.contains("passed for resource") {
            #expect(Self.unvalidated.contains { line.contains("schema for kind \($0) ") }, "\(line)")
        }
        #expect(
            objects.allSatisfy {
                $0["kind"] as? String == "Namespace" || value($0, "metadata", "namespace") as? String == "longshore"
            })
    }

    /// The programs take the configuration; ports, probes and times are those that they have.
    @Test(arguments: overlays)
    func namesPortsAndTimesAreThoseOfThePrograms(overlay: String) async throws {
        let scratch = try TemporaryDirectory()
        let (objects, _) = try await build(overlay, scratch)
        let map = try object("ConfigMap", "longshore-", in: objects.filter { value($0, "data", "upload.yaml") != nil })
        let written = try #require(value(map, "data", "upload.yaml") as? String)
        for program in ["upload-worker", "upload-notifier"] {
            let deployment = try object("Deployment", program.replacing("upload-", with: "longshore-"), in: objects)
            let pod = try #require(value(deployment, "spec", "template", "spec") as? Object)
            let container = try #require(value(pod, "containers", 0) as? Object)
            #expect((container["args"] as? [String])?.first == program)

            // The secrets that the configuration names are files here.
            var text = written
            for match in written.matches(of: /file:\/etc\/longshore\/secrets\/([a-z0-9-]+)/) {
                let file = try scratch.write(Array("a-secret-of-16-characters".utf8), to: String(match.output.1))
                text = text.replacing(match.output.0, with: "file:\(file)")
            }
            let file = try scratch.write(Array(text.utf8), to: "upload.yaml")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let settings = try await YAMLFile.settings(of: try #require(Program(rawValue: program)), file)

            let word = program.replacing("upload-", with: "")
            let port = try #require(value(container, "ports", 0, "containerPort") as? Int)
            #expect(value(settings, word, "http") as? String == "0.0.0.0:\(port)")
            for (probe, page) in [
                ("startupProbe", "/healthz"), ("readinessProbe", "/readyz"), ("livenessProbe", "/healthz"),
            ] {
                #expect(value(container, probe, "httpGet", "path") as? String == page)
                #expect(value(container, probe, "httpGet", "port") as? String == "http")
            }
            #expect(value(container, "securityContext", "readOnlyRootFilesystem") as? Bool == true)
            if program == "upload-worker" {
                let grace = try #require(value(settings, "worker", "grace") as? String)
                let seconds = try #require(Int(grace.dropLast()).map { grace.hasSuffix("m") ? $0 * 60 : $0 })
                #expect(pod["terminationGracePeriodSeconds"] as? Int ?? 0 >= seconds + 15, "\(grace)")
            }
        }
        let nodes = try object("StatefulSet", "longshore-rabbitmq", in: objects)
        let count = try #require(value(nodes, "spec", "replicas") as? Int)
        #expect(written.matches(of: /longshore-rabbitmq-\d\.longshore-rabbitmq:5672/).count == count)
        let broker = try object("ConfigMap", "longshore-rabbitmq", in: objects)
        let conf = try #require(value(broker, "data", "rabbitmq.conf") as? String)
        #expect(conf.matches(of: /classic_config\.nodes\.\d/).count == count)
    }

    @Test func theScalerAsksForQueuesAndMetricsThatThereAre() async throws {
        let scratch = try TemporaryDirectory()
        let (objects, _) = try await build("overlays/autoscaled", scratch)
        let scaled = try object("ScaledObject", "longshore-worker", in: objects)
        let worker = try object("Deployment", "longshore-worker", in: objects)
        #expect(value(worker, "spec", "replicas") == nil, "KEDA decides the number")
        let triggers = try #require(value(scaled, "spec", "triggers") as? [Object])
        let queues = triggers.compactMap { value($0, "metadata", "queueName") as? String }
        #expect(Set(queues) == ["upload.jobs.default.normal", "upload.jobs.default.urgent"])
        let operating = try String(
            contentsOf: Self.folder.appending(path: "../../Sources/Uploads/Uploads.docc/Operating.md"), encoding: .utf8)
        let queries = triggers.compactMap { value($0, "metadata", "query") as? String }
        #expect(queries.count == 2)
        for match in queries.joined().matches(of: /upload_[a-z_]+/) { #expect(operating.contains("`\(match.output){")) }
        // Prometheus takes the queries.
        let rules = queries.enumerated().map { ["record": "trigger:query:\($0)", "expr": $1] }
        let group: [String: Any] = ["groups": [["name": "triggers", "rules": rules] as [String: Any]]]
        let file = scratch.file("triggers.json")
        try JSONSerialization.data(withJSONObject: group).write(to: file)
        try await Spawn.output(of: TestProgram.path("promtool"), ["check", "rules", file.path])
    }
}
