import Foundation
import TestSupport
import Testing

/// The scripts that make a release out of built files, and the one that checks a download.
@Suite("Release", .timeLimit(.minutes(15)))
struct ReleaseTests {
  private static let scripts = Fixtures.root.appending(path: "Packaging/release").path
  private static let hasTools = ["gpg", "python3", "sha256sum"].allSatisfy { Tool.installed($0) != nil }
  private static let needsTools: Comment = "needs gpg and python3 (Debian: gnupg python3)"

  private static let image = "swift:6.3-bookworm@sha256:" + String(repeating: "a", count: 64)

  private static let environment = [
    "GITHUB_SERVER_URL=https://github.example", "GITHUB_REPOSITORY=example/linkspan",
    "GITHUB_REF=refs/tags/v1.2.3",
    "GITHUB_SHA=0123456789abcdef0123456789abcdef01234567",
    "GITHUB_WORKFLOW_REF=example/linkspan/.github/workflows/release.yml@refs/tags/v1.2.3", "GITHUB_RUN_ID=7",
    "GITHUB_RUN_ATTEMPT=1", "BUILD_IMAGE=\(image)",
  ]

  private static let files = [
    "linkspan_1.2.3_amd64.deb", "linkspan_1.2.3_amd64.oci.tar", "linkspan_1.2.3.cdx.json",
  ]

  private func shell(_ tool: Tool, _ script: String) throws -> (status: Int32, output: String) {
    try tool.program("/bin/sh", ["-c", "PATH=/usr/bin:/bin; export PATH; " + script])
  }

  /// A key of nobody, in `NAME.key` and `NAME.asc`.
  private func makeKey(_ tool: Tool, _ name: String) throws {
    let made = try shell(
      tool,
      """
      export GNUPGHOME=$PWD/home-\(name) && mkdir -m 700 "$GNUPGHOME" &&
      gpg --batch --quiet --passphrase '' --quick-generate-key '\(name) <\(name)@example.com>' ed25519 sign never &&
      gpg --batch --armor --export-secret-keys >\(name).key && gpg --batch --armor --export >\(name).asc
      gpgconf --kill all
      """)
    #expect(made.status == 0, "\(made.output)")
  }

  private func sign(_ tool: Tool, _ folder: String = "files", key: String = "ours") throws -> (
    status: Int32, output: String
  ) {
    let variables = Self.environment.map { "'\($0)'" }.joined(separator: " ")
    return try shell(
      tool, "env \(variables) RELEASE_SIGNING_KEY=\"$(cat \(key).key)\" \(Self.scripts)/sign \(folder)")
  }

  private func verify(_ tool: Tool, _ arguments: String = "--key ours.asc files") throws -> (
    status: Int32, output: String
  ) { try shell(tool, "\(Self.scripts)/verify \(arguments)") }

  /// A release with a good signature in `files`.
  private func release() throws -> Tool {
    let tool = try Tool()
    try makeKey(tool, "ours")
    for name in Self.files { try tool.write("the bytes of \(name)", to: "files/\(name)") }
    let outcome = try sign(tool)
    #expect(outcome.status == 0, "\(outcome.output)")
    return tool
  }

  struct Change: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var script: String
    var arguments = "--key ours.asc files"
    var status: Int32
    var says: String
  }

  static let provenance = "linkspan_1.2.3.provenance.json"

  static let changes = [
    Change(testDescription: "good", script: "true", status: 0, says: "verified: 4 files, signed by "),
    Change(
      testDescription: "good in part", script: "rm files/*.deb",
      arguments: "--key ours.asc --only \(files[1]) files",
      status: 0, says: "verified: 1 files"),
    Change(
      testDescription: "changed", script: "printf x >>files/\(files[0])", status: 1,
      says: "'\(files[0])' is not the file that was signed"),
    Change(
      testDescription: "changed with its checksum",
      script: "cd files && printf x >>\(files[0]) && sha256sum linkspan_* >SHA256SUMS", status: 1,
      says: "SHA256SUMS is not signed by the key in"),
    Change(
      testDescription: "signed by somebody else",
      script: "cd files && GNUPGHOME=../home-theirs gpg --batch --yes --armor --detach-sign SHA256SUMS",
      status: 1,
      says: "SHA256SUMS is not signed by the key in"),
    Change(
      testDescription: "not signed at all", script: ": >files/SHA256SUMS.asc", status: 1,
      says: "SHA256SUMS is not signed by the key in"),
    Change(
      testDescription: "incomplete", script: "rm files/\(files[1])", status: 2,
      says: "'\(files[1])' is missing"),
    Change(
      testDescription: "without its signature", script: "rm files/SHA256SUMS.asc", status: 2,
      says: "'SHA256SUMS.asc' is missing"),
    Change(
      testDescription: "with a file of another release",
      script: "cp files/\(files[0]) files/linkspan_1.2.3_amd64.de",
      status: 1, says: "'linkspan_1.2.3_amd64.de' is not in the list of this release"),
    Change(
      testDescription: "only a file that is none of it", script: "true",
      arguments: "--key ours.asc --only linkspan_ files",
      status: 1, says: "'linkspan_' is not in the list of this release"),
    Change(
      testDescription: "provenance of other files",
      script: """
        cd files && sed -i 's/"sha256": "./"sha256": "z/' \(provenance) && sha256sum linkspan_* >SHA256SUMS &&
        GNUPGHOME=../home-ours gpg --batch --yes --armor --detach-sign SHA256SUMS
        """, status: 1, says: "'\(provenance)' does not name '"),
    Change(
      testDescription: "a path in the list",
      script: """
        cd files && sed -i 's/linkspan_1.2.3.cdx/..\\/linkspan_1.2.3.cdx/' SHA256SUMS &&
        GNUPGHOME=../home-ours gpg --batch --yes --armor --detach-sign SHA256SUMS
        """, status: 1, says: "SHA256SUMS has a line that is no checksum"),
    Change(
      testDescription: "without a key", script: "rm ours.asc", status: 2, says: "there is no key 'ours.asc'"),
    Change(
      testDescription: "without arguments", script: "true", arguments: "", status: 2, says: "usage: verify"),
  ]

  /// One release for all of them: making keys takes most of the time.
  @Test(.enabled(if: hasTools, needsTools)) func aDownloadIsVerifiedOrNot() throws {
    let tool = try release()
    try makeKey(tool, "theirs")
    for change in Self.changes {
      let prepared = try shell(
        tool, "rm -rf try && mkdir try && cp -rp files ours.asc home-ours home-theirs try")
      #expect(prepared.status == 0, "\(prepared.output)")
      let changed = try shell(tool, "cd try && \(change.script)")
      #expect(changed.status == 0, "\(change): \(changed.output)")
      let outcome = try shell(tool, "cd try && \(Self.scripts)/verify \(change.arguments)")
      #expect(outcome.status == change.status, "\(change): \(outcome.output)")
      #expect(outcome.output.contains(change.says), "\(change): \(outcome.output)")
      _ = try shell(tool, "for home in try/home-*; do GNUPGHOME=$PWD/$home gpgconf --kill all; done")
    }
  }

  @Test(.enabled(if: hasTools, needsTools)) func theStatementSaysHowTheFilesWereMade() throws {
    let tool = try release()
    let text = try tool.text("files/\(Self.provenance)")
    let statement = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(statement["_type"] as? String == "https://in-toto.io/Statement/v1")
    #expect(statement["predicateType"] as? String == "https://slsa.dev/provenance/v1")
    let subjects = try #require(statement["subject"] as? [[String: Any]])
    #expect(subjects.compactMap { $0["name"] as? String } == Self.files.sorted())
    for part in [
      "\"path\": \".github/workflows/release.yml\"",
      "\"gitCommit\": \"0123456789abcdef0123456789abcdef01234567\"",
      "\"uri\": \"docker://swift:6.3-bookworm\"",
      "https://github.example/example/linkspan/actions/runs/7/attempts/1",
    ] { #expect(text.contains(part), "\(part)") }
    // A release is signed once.
    #expect(try sign(tool).output == "sign: 'files' has SHA256SUMS already\n")
  }

  @Test(.enabled(if: hasTools, needsTools), arguments: ["evil.sh", "linkspan_a b", "linkspan_dir/x"])
  func onlyPlainFilesOfAReleaseAreSigned(_ name: String) throws {
    let tool = try Tool()
    try tool.write("", to: "ours.key")
    try tool.write("x", to: "files/\(name)")
    let outcome = try shell(tool, "RELEASE_SIGNING_KEY=x \(Self.scripts)/sign files")
    #expect(outcome.status == 2)
    #expect(outcome.output.hasSuffix("does not belong to a release\n"), "\(outcome.output)")
  }

  @Test(.enabled(if: Tool.installed("python3") != nil && Tool.installed("dpkg-query") != nil, needsTools))
  func theBillOfMaterialsNamesWhatIsLoadedAndLinked() throws {
    let tool = try Tool()
    let script = """
      SOURCE_DATE_EPOCH=1789372800 \(Self.scripts)/sbom '\(Tool.binary.path)' 1.2.3
      """
    let outcome = try tool.program("/bin/sh", ["-c", script])
    #expect(outcome.status == 0, "\(outcome.output)")
    let bill = try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(bill["bomFormat"] as? String == "CycloneDX")
    #expect(bill["specVersion"] as? String == "1.5")
    let metadata = try #require(bill["metadata"] as? [String: Any])
    #expect(metadata["timestamp"] as? String == "2026-09-14T08:00:00Z")
    let components = try #require(bill["components"] as? [[String: Any]])
    let names = components.compactMap { $0["name"] as? String }
    for name in ["swift-runtime", "libnghttp2-14", "libgnutls30", "libsqlite3-0", "libc6"] {
      #expect(names.contains(name), "\(name)")
    }
    #expect(components.allSatisfy { ($0["version"] as? String)?.isEmpty == false && $0["purl"] != nil })
    let dependencies = try #require(
      (bill["dependencies"] as? [[String: Any]])?.first?["dependsOn"] as? [String])
    #expect(dependencies == components.compactMap { $0["bom-ref"] as? String })
    #expect(try tool.program("/bin/sh", ["-c", script]).output == outcome.output)
  }

  /// What another person may change without a commit here is not taken into a build.
  @Test func everythingOfTheWorkflowsIsPinned() throws {
    let folder = Fixtures.root.appending(path: ".github/workflows")
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let text = try String(contentsOf: file, encoding: .utf8)
      let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      for line in lines {
        if line.hasPrefix("- uses:") || line.hasPrefix("uses:") {
          #expect(line.contains(/@[0-9a-f]{40} # v\d/), "\(file.lastPathComponent): \(line)")
        }
        if line.hasPrefix("container:") || line.hasPrefix("image:") {
          #expect(line.contains(/@sha256:[0-9a-f]{64}/), "\(file.lastPathComponent): \(line)")
        }
      }
      #expect(text.contains("\npermissions: {}\n"), "\(file.lastPathComponent)")
      #expect(!lines.contains { $0.hasPrefix("pull_request_target") }, "\(file.lastPathComponent)")
    }
  }

  /// The key is where nothing is built, tested or fetched: in one step that runs the script.
  @Test func theSigningKeyIsInOneStepAlone() throws {
    let text = try String(
      contentsOf: Fixtures.root.appending(path: ".github/workflows/release.yml"), encoding: .utf8)
    let jobs = text.split(separator: "\njobs:\n")[1].split(separator: /\n(?=  [a-z]+:\n)/).map(String.init)
    let withKey = jobs.filter { $0.contains("secrets.") }
    #expect(withKey.count == 1)
    let steps = withKey[0].components(separatedBy: "\n      - ").dropFirst()
    let step = try #require(steps.first { $0.contains("secrets.RELEASE_SIGNING_KEY") })
    #expect(step.contains("run: Packaging/release/sign files"))
    #expect(steps.filter { $0.contains("secrets.") }.count == 1)
    for word in ["make ", "container:", "apt-get", ".ci/run", "swift "] {
      #expect(!withKey[0].contains(word), "\(word)")
    }
  }
}
