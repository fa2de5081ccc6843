package import LinkspanCore

extension ThinningReport {
  static let titleStart = "App Thinning Size Report for All Variants of "
  private static let descriptorsStart = "Supported variant descriptors: "
  private static let devicesStart = "Supported devices: "

  /// Reads "App Thinning Size Report.txt" as Xcode 9 to 15 write it, or as people pass it on.
  ///
  /// What editors, Git, chats and web pages do to it changes nothing: blank lines added or lost, blanks at either end of
  /// a line, CR LF, a byte order mark, a missing final line feed, and the marks of a quotation around the text or its
  /// lines. Every line must be there, and whole.
  ///
  /// - Throws: ``BundleError`` with the line at which the file is no such report, or ends early.
  package init(text source: SourceText) throws(BundleError) {
    var parser = Parser(source)
    let productName = try parser.title()
    var variants: [Variant] = []
    var places: [Finding.Location] = []
    repeat {
      variants.append(try parser.variant(&places))
    } while parser.hasAnother
    self.init(productName: productName, variants: variants, places: places, file: source.name)
  }

  /// The report as Xcode writes it, from exact or rounded sizes.
  ///
  /// - Parameter decimalMark: `.`, or `,` where the exporter's locale has it.
  package func text(decimalMark: Character = ".") -> String {
    func size(_ count: ByteCount) -> String {
      let text = ThinningSizeText.text((count.lower + count.upper + 1) / 2)
      return decimalMark == "." ? text : text.replacing(".", with: String(decimalMark))
    }
    func line(_ name: String, _ sizes: Sizes) -> String {
      "\(name) size: \(size(sizes.compressed)) compressed, \(size(sizes.uncompressed)) uncompressed\n"
    }
    let blocks = variants.map { variant in
      "Variant: \(variant.name)\n" + Self.devicesLine(variant) + "\n"
        + line("App + On Demand Resources", variant.both) + line("App", variant.app)
        + line("On Demand Resources", variant.onDemand)
    }
    return "\n\(Self.titleStart)\(productName)\n\n" + blocks.joined(separator: "\n\n")
  }

  private static func devicesLine(_ variant: Variant) -> String {
    if variant.isUniversal { return descriptorsStart + "Universal" }
    let versions = variant.devices.map(\.osVersion)
    let words = zip(variant.devices, versions).map { device, version in
      version.map { "[device: \(device.model), os-version: \($0)]" } ?? device.model
    }
    let start = versions.contains(nil) ? devicesStart : descriptorsStart
    switch words.count {
    case 0, 1: return start + words.joined()
    case 2: return start + words.joined(separator: " and ")
    default: return start + words.dropLast().joined(separator: ", ") + ", and " + words.last!
    }
  }

  /// Goes through the lines once.
  private struct Parser {
    private let source: SourceText
    /// The bytes of each line that says something, without blanks and quotation marks around it.
    private let lines: [Range<Int>]
    private var next = 0

    init(_ source: SourceText) {
      self.source = source
      lines = source.bytes.split { $0 == 0x0A || $0 == 0x0D }.map { line in
        let text = Substring(decoding: line, as: UTF8.self).unicodeScalars
        let front = text.prefix(while: Self.isMargin)
        let back = text[front.endIndex...].reversed().prefix(while: Self.isMargin)
        // The fence around code names its language: "```text".
        let isFence = text.starts(with: "```".unicodeScalars)
        if isFence, !text.contains(where: \.properties.isWhitespace) { return line.endIndex..<line.endIndex }
        func size(_ scalars: some Sequence<UnicodeScalar>) -> Int {
          scalars.reduce(0) { $0 + UTF8.width($1) }
        }
        return line.startIndex + size(front)..<line.endIndex - size(back)
      }.filter { !$0.isEmpty }
    }

    /// Whether a character at either end of a line belongs to the page, the mail or the editor, and not to the report.
    private static func isMargin(_ scalar: UnicodeScalar) -> Bool {
      let others: [UnicodeScalar] = ["\u{FEFF}", "`", ">"]
      return scalar.properties.isWhitespace || scalar.properties.isQuotationMark || others.contains(scalar)
    }

    /// - Parameter line: The number of the line at fault; past the last one where the report ends early.
    private func error(_ message: String, _ line: Int, column: Int = 0) -> BundleError {
      let isEnd = line >= lines.count
      let range = isEnd ? source.bytes.count..<source.bytes.count : lines[line]
      return BundleError(
        .brokenReport,
        at: Finding.Location(source, min(range.lowerBound + column, range.upperBound)..<range.upperBound),
        message: isEnd
          ? "The size report is cut off: \(message)." : "This is not a line of a size report: \(message).",
        help: "Take all of 'App Thinning Size Report.txt', as Xcode exported it.")
    }

    private func text(_ line: Int) -> String { String(decoding: source.bytes[lines[line]], as: UTF8.self) }

    /// The rest of the next line behind its beginning.
    private mutating func rest(_ start: String) throws(BundleError) -> String {
      guard next < lines.count else { throw error("expected '\(start)…'", next) }
      let line = text(next)
      guard line.hasPrefix(start) else { throw error("expected '\(start)…'", next) }
      next += 1
      return String(line.dropFirst(start.count))
    }

    mutating func title() throws(BundleError) -> String { try rest(ThinningReport.titleStart) }

    var hasAnother: Bool { next < lines.count }

    mutating func variant(_ places: inout [Finding.Location]) throws(BundleError) -> Variant {
      let name = try rest("Variant: ")
      guard name.hasSuffix(".ipa"), name.count > 4 else {
        throw error("the name of an .ipa is missing", next - 1)
      }
      let (devices, isUniversal) = try devices()
      let both = try sizes("App + On Demand Resources size: ")
      let app = try sizes("App size: ")
      places.append(Finding.Location(source, lines[next - 1]))
      let onDemand = try sizes("On Demand Resources size: ")
      return Variant(
        name: name, devices: devices, isUniversal: isUniversal, app: app, onDemand: onDemand, both: both)
    }

    private mutating func sizes(_ start: String) throws(BundleError) -> Sizes {
      let rest = try rest(start)
      let line = next - 1
      let (middle, end) = (" compressed, ", " uncompressed")
      guard rest.hasSuffix(end), let range = rest.firstRange(of: middle) else {
        throw error("expected '… compressed, … uncompressed'", line, column: start.utf8.count)
      }
      let words = [rest[..<range.lowerBound], rest[range.upperBound...].dropLast(end.count)]
      var counts: [ByteCount] = []
      for word in words {
        // Web pages and some locales keep a number and its unit together.
        let plain = Substring(word.map { $0 == "\u{A0}" || $0 == "\u{202F}" ? " " : $0 })
        guard let count = ThinningSizeText.bytes(plain) else {
          throw error("'\(word)' is not a size", line, column: start.utf8.count)
        }
        counts.append(count)
      }
      return Sizes(compressed: counts[0], uncompressed: counts[1])
    }

    private mutating func devices() throws(BundleError) -> (devices: [Device], isUniversal: Bool) {
      if next < lines.count, text(next).hasPrefix(ThinningReport.devicesStart) {
        return (try deviceNames(rest(ThinningReport.devicesStart)), false)
      }
      let list = try rest(ThinningReport.descriptorsStart)
      return list == "Universal" ? ([], true) : (try descriptors(list), false)
    }

    private func deviceNames(_ list: String) throws(BundleError) -> [Device] {
      let parts = list.components(of: ", ")
      var names = parts.dropLast()
      var last = parts.last ?? ""
      if last.hasPrefix("and "), parts.count > 2 {
        last.removeFirst(4)
        names.append(last)
      } else {
        names += last.components(of: " and ")
      }
      guard !names.contains("") else { throw error("a device has no name", next - 1) }
      return names.map { Device(model: $0, osVersion: nil) }
    }

    /// Device names hold commas, so the list is read bracket by bracket.
    private func descriptors(_ list: String) throws(BundleError) -> [Device] {
      let start = ThinningReport.descriptorsStart.utf8.count
      var devices: [Device] = []
      var joints: [String] = []
      var rest = list[...]
      while true {
        let column = start + list[..<rest.startIndex].utf8.count
        guard rest.hasPrefix("[device: "), let end = rest.firstIndex(of: "]") else {
          throw error("expected '[device: …, os-version: …]'", next - 1, column: column)
        }
        let parts = rest[..<end].dropFirst(9).components(of: ", os-version: ")
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
          throw error("expected '[device: …, os-version: …]'", next - 1, column: column)
        }
        devices.append(Device(model: parts[0], osVersion: parts[1]))
        rest = rest[rest.index(after: end)...]
        if rest.isEmpty { break }
        let joint = rest.prefix { $0 != "[" }
        joints.append(String(joint))
        rest = rest[joint.endIndex...]
      }
      let wanted =
        joints.count == 1 ? [" and "] : joints.indices.map { $0 == joints.count - 1 ? ", and " : ", " }
      guard joints == wanted else { throw error("the devices are not joined as Xcode joins them", next - 1) }
      return devices
    }
  }
}

extension StringProtocol {
  /// The parts between a separator of several characters; one part where it does not occur.
  fileprivate func components(of separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}
