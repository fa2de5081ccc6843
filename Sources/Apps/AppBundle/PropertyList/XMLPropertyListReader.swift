import CExpat
import LinkspanCore

/// Feeds an XML property list to libexpat and gives its tags, with their bytes, to the builder.
///
/// Documents that declare entities of their own are refused before the first is read, so nothing expands.
enum XMLPropertyListReader {
  /// - Parameter isTranscoded: The bytes are UTF-8 now, whatever the XML declaration says.
  static func read(
    _ bytes: [UInt8], isTranscoded: Bool, limits: PropertyListLimits
  ) throws(PropertyListFault) -> (root: PropertyListNode, duplicates: [PropertyListMember]) {
    guard let expat = ExpatParser(limits: limits, isUTF8: isTranscoded) else {
      throw PropertyListFault(.outOfMemory, 0..<0, "not enough memory for the XML parser", "Try again later.")
    }
    let failure = expat.parse(bytes)
    let builder = expat.builder
    if let fault = expat.fault { throw fault }
    if let failure { throw explain(failure, bytes, builder) }
    guard let root = builder.root else {
      throw PropertyListFault(
        .noValue, 0..<min(1, bytes.count), "the file contains no value",
        "A property list is a <plist> with a <dict>.")
    }
    return (root, builder.duplicates)
  }

  private static func explain(
    _ failure: ExpatParser.Failure, _ bytes: [UInt8], _ builder: XMLPropertyListBuilder
  ) -> PropertyListFault {
    let start = min(max(0, failure.offset), bytes.count)
    let end = min(bytes.count, start + 1)
    let opening = openingTag(builder, bytes)
    switch failure.code {
    case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
      XML_ERROR_UNCLOSED_CDATA_SECTION:
      guard let opening else {
        return PropertyListFault(
          .truncated, start..<end, "the file ends before its first value",
          "Check that it was saved "
            + "completely.")
      }
      return PropertyListFault(
        .truncated, opening.range, "the file ends before this '<\(opening.name)>' is closed",
        "Add '</\(opening.name)>', or check that the file was saved completely.")
    case XML_ERROR_TAG_MISMATCH:
      // Expat points at the name; the two characters before it belong to the tag.
      let start = start >= 2 && bytes[start - 2] == UInt8(ascii: "<") ? start - 2 : start
      let closing = bytes[start...].prefix { $0 != UInt8(ascii: ">") }
      let shown = String(decoding: closing.prefix(40), as: UTF8.self)
      let expected = opening.map { "</\($0.name)>" } ?? "another tag"
      return PropertyListFault(
        .mismatchedTag, start..<min(bytes.count, closing.endIndex + 1),
        "found '\(shown)>', expected '\(expected)'", "Close tags in the reverse order of opening them.")
    case XML_ERROR_UNDEFINED_ENTITY:
      return entityFault(start..<end)
    default:
      let reason =
        XML_ErrorString(failure.code).map { String(cString: $0) } ?? "error \(failure.code.rawValue)"
      return PropertyListFault(
        .notWellFormed, start..<end, "this is not well-formed XML: \(reason)", advice(at: start, bytes))
    }
  }

  static func entityFault(_ range: Range<Int>) -> PropertyListFault {
    PropertyListFault(
      .entity, range, "the file uses an unknown entity",
      "Supported are &lt; &gt; &amp; &quot; &apos; and numeric entities such as &#233;.")
  }

  private static func openingTag(
    _ builder: XMLPropertyListBuilder, _ bytes: [UInt8]
  ) -> (name: String, range: Range<Int>)? {
    guard let open = builder.openElement else { return nil }
    let end = bytes[open.start...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? bytes.count
    return (open.name, open.start..<end)
  }

  private static func advice(at offset: Int, _ bytes: [UInt8]) -> String {
    let lineStart = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = bytes[lineStart...].prefix { $0 != 0x0A }
    if ["<<<<<<<", "=======", ">>>>>>>"].contains(where: { line.starts(with: $0.utf8) }) {
      return "It looks like a merge conflict marker. Resolve the conflict."
    }
    return "Write '&' as '&amp;' and '<' as '&lt;'."
  }
}

/// Owns one libexpat parser.
private final class ExpatParser {
  struct Failure {
    let code: XML_Error
    let offset: Int
  }

  private let parser: XML_Parser
  private(set) var builder: XMLPropertyListBuilder
  /// The first thing the builder refused; the parser stops there.
  private(set) var fault: PropertyListFault?

  init?(limits: PropertyListLimits, isUTF8: Bool) {
    guard let parser = XML_ParserCreate(isUTF8 ? "UTF-8" : nil) else { return nil }
    self.parser = parser
    builder = XMLPropertyListBuilder(limits: limits)
  }

  deinit { XML_ParserFree(parser) }

  func parse(_ bytes: [UInt8]) -> Failure? {
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { context, name, _ in
        ExpatParser.from(context).handle { parser, builder throws(PropertyListFault) in
          try builder.start(name.map { String(cString: $0) } ?? "", at: parser.eventRange)
        }
      },
      { context, _ in
        ExpatParser.from(context).handle { parser, builder throws(PropertyListFault) in
          try builder.end(at: parser.eventRange)
        }
      })
    XML_SetCharacterDataHandler(parser) { context, text, length in
      guard let text, length > 0 else { return }
      text.withMemoryRebound(to: UInt8.self, capacity: Int(length)) { start in
        let bytes = UnsafeBufferPointer(start: start, count: Int(length))
        ExpatParser.from(context).handle { parser, builder throws(PropertyListFault) in
          try builder.text(bytes, at: parser.eventRange.lowerBound)
        }
      }
    }
    XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasInternalSubset in
      ExpatParser.from(context).handle { parser, _ throws(PropertyListFault) in
        guard hasInternalSubset != 0 else { return }
        let start = parser.eventRange.lowerBound
        throw PropertyListFault(
          .entity, start..<start + 1, "the document type contains declarations, which are not supported",
          "Property lists need none. Remove the part in '[…]'.")
      }
    }
    XML_SetSkippedEntityHandler(parser) { context, _, _ in
      ExpatParser.from(context).handle { parser, _ throws(PropertyListFault) in
        throw XMLPropertyListReader.entityFault(parser.eventRange)
      }
    }
    let status = bytes.withUnsafeBytes { buffer in
      XML_Parse(
        parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: buffer.count), 1)
    }
    if status == XML_STATUS_OK { return nil }
    return Failure(code: XML_GetErrorCode(parser), offset: Int(XML_GetCurrentByteIndex(parser)))
  }

  private var eventRange: Range<Int> {
    let start = max(0, Int(XML_GetCurrentByteIndex(parser)))
    return start..<start + max(0, Int(XML_GetCurrentByteCount(parser)))
  }

  private func handle(
    _ body: (ExpatParser, inout XMLPropertyListBuilder) throws(PropertyListFault) -> Void
  ) {
    guard fault == nil else { return }
    do {
      // Out and in again, so that the body may ask the parser while it changes the builder.
      var current = builder
      builder = XMLPropertyListBuilder(limits: PropertyListLimits())
      defer { builder = current }
      try body(self, &current)
    } catch {
      fault = error
      XML_StopParser(parser, 0)
    }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> ExpatParser {
    guard let context else { preconditionFailure("expat gives back the user data it was given") }
    return Unmanaged<ExpatParser>.fromOpaque(context).takeUnretainedValue()
  }
}
