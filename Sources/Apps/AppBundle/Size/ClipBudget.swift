package import LinkspanCore

/// How large a clip and its parts may become, as a team has agreed; a CI holds each build to it.
package struct ClipBudget: Sendable {
  /// One line of the budget.
  private struct Line {
    /// `total`, a kind such as `code`, or the path of a program or library.
    var part: String
    var maximumBytes: Int
    /// Where it was said; nil for a flag.
    var place: Finding.Location?
  }

  private var lines: [Line] = []
  private static let total = "total"

  package init() {}

  /// Whether more than the whole is limited, which a report knows nothing of.
  package var hasParts: Bool { lines.contains { $0.part != Self.total } }

  /// Adds what `--max` says: `9.5MB`, or `code=4MB`.
  ///
  /// - Returns: Why it is no line of a budget; nil when it is.
  package mutating func add(_ text: String) -> String? {
    guard let sign = text.lastIndex(of: "=") else { return add(Self.total, text, at: nil) }
    return add(String(text[..<sign]), String(text[text.index(after: sign)...]), at: nil)
  }

  /// Adds what a file says: one object whose keys are parts.
  ///
  /// - Returns: What is wrong with the file; empty when nothing is.
  package mutating func add(_ source: SourceText) -> [Finding] {
    let document = JSONParser.parse(source.bytes, dialect: .json5)
    func mistake(_ range: Range<Int>, _ message: String, _ help: String) -> Finding {
      Finding(
        rule: "clip.budget", severity: .error, at: .init(source, range), message: message, help: help)
    }
    let example = #"Write it as in {"total": "9.5 MB", "code": "4 MB"}."#
    if !document.errors.isEmpty {
      return document.errors.map { mistake($0.range, $0.message + ".", $0.help) }
    }
    guard let root = document.root, let members = root.object else {
      return [mistake(0..<0, "A budget is an object of sizes.", example)]
    }
    var names: Set<String> = []
    return members.compactMap { member in
      guard names.insert(member.name).inserted else {
        return mistake(
          member.nameRange, "'\(member.name)' occurs twice in the budget.", "Keep one of the two.")
      }
      let value = member.value.string ?? member.value.int.map(String.init)
      guard let value else {
        return mistake(member.value.range, "A size is a number of bytes or a text.", example)
      }
      let place = Finding.Location(source, member.nameRange)
      return add(member.name, value, at: place).map { mistake(member.nameRange, $0, example) }
    }
  }

  private mutating func add(_ part: String, _ size: String, at place: Finding.Location?) -> String? {
    // A path has a slash, or is the program itself, whose name nobody can know.
    if let near = Spelling.nearest(to: part, among: Self.names), near != part {
      return "unknown part '\(part)'; did you mean '\(near)'?"
    }
    guard let bytes = Self.bytes(size) else { return "expected a size such as '9.5 MB', got '\(size)'" }
    lines.append(Line(part: part, maximumBytes: bytes, place: place))
    return nil
  }

  private static var names: [String] { [total] + SizeKind.allCases.map(\.rawValue) }

  /// Decimal units, as Apple's reports have them.
  private static func bytes(_ text: String) -> Int? {
    if text.utf8.allSatisfy(ASCII.isDigit) { return Int(text) }
    let number = text.prefix { $0.isNumber || $0 == "." }
    let unit = text.dropFirst(number.count).drop { $0 == " " }
    return ThinningSizeText.value("\(number) \(unit)")
  }

  /// Parts that the budget names and that are neither a kind nor in the bundle: such a line would always hold.
  ///
  /// - Returns: Each once, as it was written.
  package func unknownParts(_ answer: ClipSizeAnswer) -> [String] {
    let known = Set(Self.names + answer.parts.compactMap(\.name))
    var told: Set<String> = []
    return lines.map(\.part).filter { !known.contains($0) && told.insert($0).inserted }
  }

  /// What a line of a budget for a bundle may name.
  package static func partNames(_ answer: ClipSizeAnswer) -> [String] {
    names + answer.parts.compactMap(\.name).sorted()
  }

  /// What is above the budget.
  ///
  /// - Parameter file: What the person calls the input.
  package func findings(_ answer: ClipSizeAnswer, file: String) -> [Finding] {
    lines.flatMap { line in
      let name = line.part == Self.total ? "" : "'\(line.part)' "
      return sizes(of: line.part, answer).filter { $0.bytes.upper > line.maximumBytes }.map { size in
        let (bytes, limit) = (size.bytes.upper, line.maximumBytes)
        return Finding(
          rule: "clip.over-budget", severity: .error, at: line.place ?? .init(file: file),
          message:
            "\(name)has \(size.bytes.isExact ? "" : "up to ")\(bytes) bytes\(size.variant), "
            + "\(bytes - limit) more than the budget of \(limit).",
          help: size.bytes.lower > limit
            ? "Look what has grown with '--against' an older build, or raise the budget on purpose."
            : "The report rounds its sizes. The app-thinning.plist beside it or the .ipa has exact ones.")
      }
    }
  }

  private func sizes(of part: String, _ answer: ClipSizeAnswer) -> [(bytes: ByteCount, variant: String)] {
    if part == Self.total {
      return answer.variants.map {
        ($0.uncompressed, answer.variants.count > 1 ? " in '\($0.name)'" : "")
      }
    }
    let parts = answer.parts.filter { $0.kind.rawValue == part || $0.name == part }
    return [(ByteCount(parts.reduce(0) { $0 + $1.sizeBytes }), "")]
  }
}
