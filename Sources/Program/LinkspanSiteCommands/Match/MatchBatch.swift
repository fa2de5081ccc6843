internal import AppSiteAssociation
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
          console.print(try answer(bytes, id: &id))
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

  private func answer(_ bytes: [UInt8], id: inout JSON) throws(BadLine) -> JSON {
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
    let url = LinkURL(text)
    let os = try release(of: line)
    let file = try known(for: line, bytes: bytes, os: os)
    let host = HostScope(try string("host", of: line) ?? url.host)
    var members: [(String, JSON)] = [("type", .string("match")), ("id", id)]
    var work = WorkBudget.answer
    if let app = try string("app", of: line) {
      let trace = known[file]!.matchers[os]!.trace(url, app: app, host: host, &work)
      return .object(members + MatchAnswer.members(trace))
    }
    // Without an app: what happens when every app of the file is installed, and each one's answer.
    let matcher = known[file]!.matchers[os]!.matcher
    let traces = matcher.applicationsToAnswer.map { app in
      (app, known[file]!.matchers[os]!.trace(url, app: app, host: host, &work))
    }
    let winner =
      traces.filter { $0.1.decision.verdict == .match }.min { $0.1.decision.entry! < $1.1.decision.entry! }
      ?? traces.first { $0.1.decision.verdict == .excluded } ?? traces.first
    members.append(("app", .init(winner?.0)))
    members +=
      winner.map { MatchAnswer.members($0.1) }
      ?? MatchAnswer.members(withoutApps: MatchAnswer.reasonWithoutApps(matcher, url, host))
    members.append(
      ("apps", .array(traces.map { .object([("app", .string($0.0))] + MatchAnswer.members($0.1)) })))
    return .object(members)
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
  private func known(for line: JSONNode, bytes: [UInt8], os: OSVersion?) throws(BadLine) -> [UInt8] {
    guard let node = line["file"] else { throw BadLine(message: "\"file\" is missing") }
    let key = Array(bytes[node.range])
    if known[key]?.matchers[os] != nil { return key }
    if knownBytes + key.count > Self.knownLimitBytes {
      known.removeAll(keepingCapacity: true)
      knownBytes = 0
    }
    if known[key] == nil { known[key] = Known(file: try file(node)) }
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
