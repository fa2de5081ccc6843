internal import AppSiteAssociation
internal import AssociationCheck
internal import HeldURLs
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

/// Answers questions line by line; a bad line gets an answer that says so, and the rest goes on.
final class MatchBatch {
  /// What a line is refused for.
  private struct BadLine: Error {
    var message: String
  }

  /// One compiled file and the releases it was compiled for.
  private struct Known {
    var file: AssociationFile
    var matchers: [OSVersion?: ReasonedMatcher] = [:]
  }

  private let console: Console
  private var known: [[UInt8]: Known] = [:]
  /// Of the files that are compiled, each counted for every release.
  private var knownBytes = 0
  /// Ours: batches ask many questions of few files. Compiled, a file takes up to eighty times its size.
  private static let knownLimitBytes = 1 << 20

  init(_ console: Console) { self.console = console }

  func run(_ path: String) throws(LinkspanError) -> ExitStatus {
    var reader = try LineReader(path, beforeWaiting: { [console] in console.flush() })
    var isEveryLineGood = true
    var number = 0
    while let line = try reader.next() {
      number += 1
      var id = JSON.null
      do throws(BadLine) {
        switch line {
        case .tooLong: throw BadLine(message: "the line has more than \(LineReader.lineLimitBytes >> 20) MB")
        case .bytes(let bytes):
          if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
          console.print(try answer(bytes, number, id: &id))
        }
      } catch {
        isEveryLineGood = false
        console.print(
          .object([
            ("type", .string("error")), ("id", id), ("line", .int(number)),
            ("message", .string(error.message)),
          ]))
      }
    }
    return isEveryLineGood ? .yes : .failed
  }

  private func answer(_ bytes: [UInt8], _ number: Int, id: inout JSON) throws(BadLine) -> JSON {
    let document = JSONParser.parse(bytes)
    if let error = document.errors.first {
      id = document.root?["id"]?.json ?? .null
      throw BadLine(message: "the line is not JSON at byte \(error.range.lowerBound): \(error.message)")
    }
    guard let line = document.root, line.object != nil else {
      throw BadLine(message: "the line is not a JSON object")
    }
    id = line["id"]?.json ?? .null
    // The file's own are a matter of the file, which a device reads as it is.
    var problem: String?
    DuplicateKeys.each(in: line, except: "file") { member, _, _ in
      problem = "\"\(member.name)\" occurs twice"
    }
    if let problem { throw BadLine(message: problem) }
    guard let text = try string("url", of: line) else { throw BadLine(message: "\"url\" is missing") }
    let os = try release(of: line)
    let url = LinkURL(written: text, in: try place(of: line), on: os)
    let file = try known(for: line, number, bytes: bytes, os: os)
    let host = try host(of: line) ?? HostScope(url.host)
    let head: [(String, JSON)] = [("type", .string("match")), ("id", id)]
    let held = url.held?.members ?? []
    var work = WorkBudget.answer
    if let app = try string("app", of: line) {
      guard !app.isEmpty else {
        throw BadLine(message: "\"app\" is empty; leave it out to ask for every app")
      }
      return .object(head + answer(url, app, known: file, os, host, &work).members + held)
    }
    // Without an app: what happens when every app of the file is installed, and each one's answer.
    let matcher = known[file]!.matchers[os]!.matcher
    let answers = matcher.applicationsToAnswer.map { answer(url, $0, known: file, os, host, &work) }
    func all(_ verdict: Decision.Verdict) -> [MatchAnswer] {
      answers.filter { $0.trace.decision.verdict == verdict }
    }
    let first = all(.match).min { $0.trace.decision.entry! < $1.trace.decision.entry! }
    let winner = first ?? all(.excluded).first ?? answers.first
    let trace = MatchAnswer.traceWithoutApps(matcher, url, host)
    let nobody = MatchAnswer(
      url, nil, os, trace, known[file]!.matchers[os]!.basis(of: trace, url, app: "", host: host, &work))
    var members = head + [("app", .init(winner?.app))]
    members += (winner ?? nobody).members + held
    let apps: [JSON] = answers.map { .object([("app", .init($0.app))] + $0.members) }
    members.append(("apps", .array(apps)))
    return .object(members)
  }

  private func answer(
    _ url: LinkURL, _ app: String, known file: [UInt8], _ os: OSVersion?, _ host: HostScope,
    _ work: inout WorkBudget
  ) -> MatchAnswer {
    let trace = known[file]!.matchers[os]!.trace(url, app: app, host: host, &work)
    let basis = known[file]!.matchers[os]!.basis(of: trace, url, app: app, host: host, &work)
    return MatchAnswer(url, app, os, trace, basis)
  }

  private func place(of line: JSONNode) throws(BadLine) -> HeldURL.Place {
    guard let text = try string("written_in", of: line) else { return .page }
    guard let place = HeldURL.Place(rawValue: text) else {
      throw BadLine(message: "\"written_in\": expected page or code, got '\(text)'")
    }
    return place
  }

  private func host(of line: JSONNode) throws(BadLine) -> HostScope? {
    guard let text = try string("host", of: line) else { return nil }
    do throws(Arguments.HostMistake) {
      return HostScope(try Arguments.host(text, takesWildcard: true))
    } catch {
      throw BadLine(message: "\"host\": \(error.message)")
    }
  }

  private func string(_ name: String, of line: JSONNode) throws(BadLine) -> String? {
    guard let node = line[name] else { return nil }
    if case .null = node.value { return nil }
    guard let text = node.string else {
      throw BadLine(message: "\"\(name)\" is \(node.typeName); expected a string")
    }
    return text
  }

  private func release(of line: JSONNode) throws(BadLine) -> OSVersion? {
    guard let text = try string("os", of: line) else { return nil }
    do throws(OSVersionError) {
      return try OSVersion(text)
    } catch {
      throw BadLine(message: "\"os\": \(error)")
    }
  }

  /// - Returns: The bytes of the file, under which it is ``known`` for the release from here on.
  private func known(
    for line: JSONNode, _ number: Int, bytes: [UInt8], os: OSVersion?
  ) throws(BadLine) -> [UInt8] {
    guard let node = line["file"] else { throw BadLine(message: "\"file\" is missing") }
    let key = Array(bytes[node.range])
    if known[key]?.matchers[os] != nil { return key }
    if knownBytes + key.count > Self.knownLimitBytes {
      known.removeAll(keepingCapacity: true)
      knownBytes = 0
    }
    if known[key] == nil {
      known[key] = Known(file: try file(node))
      let count = node.string?.utf8.count ?? key.count
      AssociationSource.tellSize("the file of line \(number)", count, console)
    }
    if known[key]!.matchers[os] == nil {
      knownBytes += key.count
      known[key]!.matchers[os] = ReasonedMatcher(AssociationMatcher(known[key]!.file, os: os))
    }
    return key
  }

  private func file(_ node: JSONNode) throws(BadLine) -> AssociationFile {
    switch node.value {
    case .object: return AssociationFile(node)!
    case .string(let text):
      let content = AssociationContent(Array(text.utf8))
      if let error = content.document.errors.first {
        throw BadLine(message: "the file is not JSON at byte \(error.range.lowerBound): \(error.message)")
      }
      // Anything but an object grants nothing (J1).
      return content.file ?? AssociationFile(JSONNode(.object([]), at: 0..<0))!
    default: throw BadLine(message: "\"file\" is \(node.typeName); expected an object or a string")
    }
  }
}
