package import LinkspanCore

extension ThinningReport {
  static let titleStart = "App Thinning Size Report for All Variants of "
  private static let descriptorsStart = "Supported variant descriptors: "
  private static let devicesStart = "Supported devices: "

  /// Reads "App Thinning Size Report.txt" as Xcode 9 to 15 write it.
  ///
  /// The empty line at the front may be missing, as it is in quoted reports. Lines may end in CR LF and the file may
  /// begin with a byte order mark: Git and editors on Windows make both.
  ///
  /// - Throws: ``BundleError`` with the line at which the file is no such report, or ends early.
  package init(text source: SourceText) throws(BundleError) {
    var parser = Parser(source)
    let productName = try parser.title()
    var variants: [Variant] = []
    var places: [Finding.Location] = []
    repeat {
      variants.append(try parser.variant(&places))
    } while try parser.hasAnother()
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
    /// Each line's bytes, without its line feed and the carriage return before it; the last one has none.
    private var lines: [Range<Int>] = []
    private var next = 0

    init(_ source: SourceText) {
      self.source = source
      let bytes = source.bytes
      var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      for offset in bytes.indices where bytes[offset] == 0x0A {
        let hasReturn = offset > start && bytes[offset - 1] == 0x0D
        lines.append(start..<(hasReturn ? offset - 1 : offset))
        start = offset + 1
      }
      lines.append(start..<bytes.count)
    }

    private func error(_ message: String, _ line: Int, column: Int = 0) -> BundleError {
      let line = lines[min(line, lines.count - 1)]
      let isEnd = line.upperBound == source.bytes.count
      return BundleError(
        .brokenReport, at: Finding.Location(source, line.lowerBound + column..<line.upperBound),
        message: isEnd
          ? "The size report is cut off: \(message)." : "This is not a line of a size report: \(message).",
        help: "Xcode writes 'App Thinning Size Report.txt' in one form. Take the file as it was exported.")
    }

    private func text(_ line: Int) -> String { String(decoding: source.bytes[lines[line]], as: UTF8.self) }

    /// The rest of the next line behind its beginning.
    private mutating func rest(_ start: String) throws(BundleError) -> String {
      // What stands behind the last line feed is no whole line.
      guard next < lines.count - 1 else {
        throw error("expected '\(start)…' and a line feed behind it", lines.count - 1)
      }
      let line = text(next)
      guard line.hasPrefix(start) else { throw error("expected '\(start)…'", next) }
      next += 1
      return String(line.dropFirst(start.count))
    }

    private mutating func emptyLine() throws(BundleError) {
      guard next < lines.count - 1, lines[next].isEmpty else { throw error("expected an empty line", next) }
      next += 1
    }

    mutating func title() throws(BundleError) -> String {
      if lines.count > 1, lines[0].isEmpty { next = 1 }
      let name = try rest(ThinningReport.titleStart)
      guard !name.isEmpty else { throw error("the product has no name", next - 1) }
      try emptyLine()
      return name
    }

    mutating func hasAnother() throws(BundleError) -> Bool {
      if next == lines.count - 1, lines[next].isEmpty { return false }
      try emptyLine()
      try emptyLine()
      return true
    }

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
        guard let count = ThinningSizeText.bytes(word) else {
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
