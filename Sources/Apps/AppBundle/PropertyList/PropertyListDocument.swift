package import LinkspanCore

/// A property list with its source, so that every value has a line and column.
package struct PropertyListDocument: Sendable {
  package enum Format: String, Hashable, Sendable {
    case xml
    case binary
  }

  package let format: Format
  package let root: PropertyListNode
  /// What is odd in the file and did not keep it from being read.
  package let findings: [Finding]
  /// XML in UTF-8, whatever it was in; the bytes themselves for the binary form.
  let source: SourceText
  /// Whether `source` holds other bytes than the file.
  let isTranscoded: Bool

  package var name: String { source.name }

  /// Reads XML and `bplist00`.
  ///
  /// - Parameter name: What the person calls the file; findings carry it.
  /// - Throws: ``PropertyListError`` with the place, for anything that is neither or that is damaged.
  package init(
    _ bytes: [UInt8], name: String, limits: PropertyListLimits = PropertyListLimits()
  ) throws(PropertyListError) {
    var source = SourceText(name: name, bytes: [])
    var format: Format?
    var isTranscoded = false
    do throws(PropertyListFault) {
      guard bytes.count <= limits.sizeBytes else {
        throw PropertyListFault(
          .tooLarge, 0..<0, "the file has \(bytes.count) bytes; the limit is \(limits.sizeBytes) bytes",
          "Property lists of apps are much smaller. Check that this is the right file.")
      }
      source = SourceText(name: name, bytes: bytes)
      let sniffed = try PropertyListSniffer.format(of: bytes)
      format = sniffed
      var duplicates: [PropertyListMember] = []
      switch sniffed {
      case .binary:
        var reader = BinaryPropertyListReader(bytes, limits: limits)
        root = try reader.read()
        duplicates = reader.duplicates
      case .xml:
        let utf8 = PropertyListSniffer.utf8(bytes)
        if let utf8 { source = SourceText(name: name, bytes: utf8) }
        isTranscoded = utf8 != nil
        let result = try XMLPropertyListReader.read(
          utf8 ?? bytes, isTranscoded: utf8 != nil, limits: limits)
        root = result.root
        duplicates = result.duplicates
      }
      self.format = sniffed
      findings = duplicates.prefix(limits.findingCount).map { member in
        Finding(
          rule: "plist.duplicate-key", severity: .warning,
          at: Self.location(in: source, format: sniffed, member.keyRange),
          message: "The key '\(member.key)' occurs twice in one dictionary.",
          help: "Which of the two is used is not documented. Remove one.")
      }
    } catch {
      let location =
        format == nil && error.range.isEmpty
        ? Finding.Location(file: name) : Self.location(in: source, format: format, error.range)
      throw PropertyListError(
        error.kind, at: location, message: Self.sentence(error.message), help: error.help)
    }
    self.source = source
    self.isTranscoded = isTranscoded
  }

  /// The place of bytes of this document. The binary form has no lines, so only the pointer tells.
  package func location(of range: Range<Int>, pointer: String? = nil) -> Finding.Location {
    Self.location(in: source, format: format, range, pointer: pointer)
  }

  private static func location(
    in source: SourceText, format: Format?, _ range: Range<Int>, pointer: String? = nil
  ) -> Finding.Location {
    if format == .binary { return Finding.Location(file: source.name, pointer: pointer) }
    let range = range.clamped(to: 0..<source.bytes.count)
    return Finding.Location(source, range, pointer: pointer)
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}
