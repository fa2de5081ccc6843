import Foundation
import LinkspanCore
import TestSupport
import Testing

@Suite struct ReportFormatTests {
  /// Runs Python, or says why not.
  static func python(_ tool: Tool, _ script: String, _ arguments: [String], needs modules: String) throws
    -> String?
  {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import \(modules)\n" + script] + arguments
    process.currentDirectoryURL = tool.folder
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let reason = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus == 0 { return text }
    if process.terminationStatus == 127 || reason.contains("No module named") {
      print("skipped: there is no python3 with \(modules) here, so it read nothing")
      return nil
    }
    Issue.record("python3: \(reason)")
    return nil
  }

  @Test(arguments: ["sarif", "junit", "github"])
  func errorsEndInOneAndAGoodFileInZero(format: String) throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "good")
    try tool.write("{]", to: "bad")
    #expect(try tool.run("check", "good", "--format", format).status == 0)
    #expect(try tool.run("check", "good", "bad", "--format", format).status == 1)
    #expect(try tool.run("check", "good", "missing", "--format", format).status == 2)
  }

  @Test func sarifIsOneDocument() throws {
    let tool = try Tool()
    try tool.write("{\"applinks\":\n{\"details\":[],}}", to: "file")
    let outcome = try tool.run("check", "file", "--format", "sarif")
    let document = try outcome.json()
    let run = try #require((document["runs"] as? [[String: Any]])?.first)
    let result = try #require((run["results"] as? [[String: Any]])?.first)
    #expect(outcome.lines.count == 1)
    #expect(result["ruleId"] as? String == "json.trailing-comma")
    #expect((result["fixes"] as? [Any])?.count == 1)
  }

  @Test func annotationsAreFollowedByTheSummary() throws {
    let tool = try Tool()
    try tool.write("{\"applinks\":\n{\"details\":[],}}", to: "file")
    let outcome = try tool.run("check", "file", "--format", "github")
    #expect(
      outcome.output.hasPrefix(
        """
        ::error file=file,line=2,col=14,endLine=2,endColumn=15,title=json.trailing-comma\
        ::There is a ',' after the last value.%0ARemove it: JSON allows no comma before a closing bracket.
        1 file: 1 error
        Not checked:

        """))
  }

  /// Python's reader finds the cases and failures of the whole corpus, or of our fixtures.
  @Test func anotherToolReadsJUnit() throws {
    let tool = try Tool()
    let paths =
      if let corpus = Fixtures.corpus {
        try corpus.manifest("aasa").map { corpus.url.appending(path: "aasa/\($0[0])").path }
      } else {
        ["bluesky-social-app", "expensify-app"].map {
          Fixtures.root.appending(path: "Tests/Fixtures/aasa/\($0).json").path
        }
      }
    try tool.write("{\"a\u{1}<&\u{FFFE}\":\"]]>\"}", to: "odd\u{2} \"&'<.json")
    let words = ["check"] + paths + ["odd\u{2} \"&'<.json"]
    let outcome = try tool.run(words + ["--format", "junit"])
    try tool.write(outcome.output, to: "junit.xml")
    let script = """
      root = xml.etree.ElementTree.parse('junit.xml').getroot()
      suites = root.findall('testsuite')
      cases = root.findall('testsuite/testcase')
      assert int(root.get('tests')) == len(cases) == sum(int(s.get('tests')) for s in suites)
      failures = root.findall('testsuite/testcase/failure')
      assert int(root.get('failures')) == len(failures)
      for suite in suites:
          names = [case.get('name') for case in suite]
          assert len(names) == len(set(names)), names
      print(len(suites), len(failures))
      """
    guard let read = try Self.python(tool, script, [], needs: "xml.etree.ElementTree") else { return }
    let findings = try #require(try tool.run(words + ["--json"]).json()["findings"] as? [[String: Any]])
    let errors = findings.filter { $0["severity"] as? String == "error" }
    let failed = Set(errors.map { "\($0["file"]!) \($0["rule"]!)" }).count
    #expect(read == "\(paths.count + 1) \(failed)\n")
  }

  @Test(arguments: ["github-actions.yml", "gitlab-ci.yml"])
  func theExamplesForCIAreYAML(name: String) throws {
    let path = Fixtures.root.appending(path: "Examples/ci/\(name)").path
    let script = """
      import json, sys
      print(json.dumps(yaml.safe_load(open(sys.argv[1], encoding='utf-8')), default=str))
      """
    guard let text = try Self.python(Tool(), script, [path], needs: "yaml") else { return }
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let isGitHub = name.hasPrefix("github")
    let jobs = isGitHub ? document?["jobs"] as? [String: Any] : document
    #expect(jobs?.isEmpty == false)
    // Every command of ours in it is one that the tool takes.
    let source = try String(contentsOfFile: path, encoding: .utf8)
    let formats = source.split(separator: "--format ").dropFirst().map { String($0.prefix { $0.isLetter }) }
    #expect(Set(formats) == (isGitHub ? ["github", "sarif"] : ["junit", "gitlab"]))
  }
}
