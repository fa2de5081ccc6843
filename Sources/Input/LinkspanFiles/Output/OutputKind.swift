package import LinkspanCore

/// What a command writes to a place that a person names, so that it knows its own earlier output there.
///
/// A page, a picture and a JSON5 document get a mark of the command; of other forms the form itself decides, where only
/// this command writes it. A table or an association file may be a person's own, so nothing but the same bytes is
/// written over one.
package struct OutputKind: Sendable {
  /// What is true of another file, for the refusal, such as "is not a page of 'linkspan coverage'".
  package let otherwise: String
  private let mark: Mark?
  private let look: Look

  private enum Mark {
    case page, vector, picture, document
  }

  private enum Look: Sendable {
    /// By the first bytes, of which there are ``headBytes`` at most.
    case head(@Sendable ([UInt8]) -> Bool)
    case whole(@Sendable ([UInt8]) -> Bool)
    case nothing
  }

  /// Where a mark has to stand. Ours: the heads of our pages are shorter.
  package static let headBytes = 4_096

  /// A page of HTML, which names the command as its generator.
  ///
  /// - Parameter command: As in `linkspan coverage`.
  package static func page(of command: String) -> OutputKind {
    let mark = pageMark(command)
    return OutputKind(
      what: "a page of '\(command)'", mark: .page, command: command,
      look: .head { head in head.starts(with: [UInt8(ascii: "<")]) && head.firstRange(of: mark) != nil })
  }

  /// An SVG picture, with the command in a comment.
  package static func vector(of command: String) -> OutputKind {
    let mark = vectorMark(command)
    return OutputKind(
      what: "a picture of '\(command)'", mark: .vector, command: command,
      look: .head { head in head.starts(with: "<svg".utf8) && head.firstRange(of: mark) != nil })
  }

  /// A PNG picture, with the command as the software that made it.
  package static func picture(of command: String) -> OutputKind {
    let mark = pictureMark(command)
    return OutputKind(
      what: "a picture of '\(command)'", mark: .picture, command: command,
      look: .head { $0.dropFirst(pictureHeadBytes).starts(with: mark) })
  }

  /// A document in JSON5 that people edit: its first line names the command and has a checksum of the rest, so that one
  /// that was edited since counts as theirs.
  package static func document(of command: String) -> OutputKind {
    OutputKind(
      what: "a file as '\(command)' wrote it", mark: .document, command: command,
      look: .whole { isMarked($0, by: command) })
  }

  private static func isMarked(_ bytes: [UInt8], by command: String) -> Bool {
    guard let end = bytes.firstIndex(of: 0x0A) else { return false }
    return Array(bytes[...end]) == documentMark(command, Array(bytes[(end + 1)...]))
  }

  /// A form without room for a mark, which begins with text that only this program writes.
  package static func beginning(_ text: String, _ what: String) -> OutputKind {
    OutputKind(what: what, mark: nil, command: "", look: .head { $0.starts(with: text.utf8) })
  }

  /// A form without room for a mark, all of which says whether this program wrote it.
  package static func form(
    _ what: String, _ isOwn: @escaping @Sendable ([UInt8]) -> Bool
  ) -> OutputKind {
    OutputKind(what: what, mark: nil, command: "", look: .whole(isOwn))
  }

  /// A form that other programs and people write as well.
  package static let common = OutputKind(what: "", mark: nil, command: "", look: .nothing)

  private let command: String

  private init(what: String, mark: Mark?, command: String, look: Look) {
    otherwise = what.isEmpty ? "holds something else" : "is not \(what)"
    self.mark = mark
    self.command = command
    self.look = look
  }

  // MARK: - Names

  /// Endings of names by which programs choose the reader of a picture.
  private static let pictureEndings = [
    "svg", "png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "heic", "avif", "ico", "pdf", "eps",
  ]

  /// The ending of a picture that a name has, in lower case; nil for every other name.
  package static func pictureEnding(of path: String) -> String? {
    let name = ASCII.lowercased(path)
    return pictureEndings.first { name.hasSuffix("." + $0) }
  }

  /// Why a file of this kind is not to have a name: it has the ending of another picture; nil where it may.
  package func misnaming(of path: String) -> LinkspanError? {
    guard let ending = Self.pictureEnding(of: path) else { return nil }
    switch mark {
    case .vector: return ending == "svg" ? nil : Self.misnaming(path, ending, "SVG")
    case .picture: return ending == "png" ? nil : Self.misnaming(path, ending, "PNG")
    case .page: return Self.misnaming(path, ending, "HTML")
    case .document, nil: return nil
    }
  }

  /// That a name ends in `.ending`, and what is written is another format.
  package static func misnaming(_ path: String, _ ending: String, _ own: String) -> LinkspanError {
    .usage("'\(path)' ends in '.\(ending)', but the file would hold \(own)")
  }

  // MARK: - Looking

  /// Whether a file can be judged before it is known what would be written.
  package var isKnownByItself: Bool { if case .nothing = look { false } else { true } }

  /// - Parameters:
  ///   - head: The first bytes of a file.
  ///   - whole: All of it; nil where that is too much to read.
  package func isOwn(head: [UInt8], whole: () throws(LinkspanError) -> [UInt8]?) throws(LinkspanError) -> Bool
  {
    switch look {
    case .head(let isOwn): isOwn(head)
    case .whole(let isOwn): try whole().map(isOwn) ?? false
    case .nothing: false
    }
  }

  // MARK: - Marks

  /// The bytes with the command's mark, once.
  package func marked(_ bytes: [UInt8]) -> [UInt8] {
    switch mark {
    case nil: return bytes
    case .page:
      let charset = Array("<meta charset=\"utf-8\">".utf8)
      guard bytes.prefix(Self.headBytes).firstRange(of: Self.pageMark(command)) == nil,
        let place = bytes.firstRange(of: charset)
      else { return bytes }
      return bytes[..<place.upperBound] + Self.pageMark(command) + bytes[place.upperBound...]
    case .vector:
      guard bytes.prefix(Self.headBytes).firstRange(of: Self.vectorMark(command)) == nil,
        let end = bytes.firstIndex(of: UInt8(ascii: ">"))
      else { return bytes }
      return bytes[...end] + Self.vectorMark(command) + bytes[(end + 1)...]
    case .picture:
      let mark = Self.pictureMark(command)
      guard bytes.count > Self.pictureHeadBytes, !bytes.dropFirst(Self.pictureHeadBytes).starts(with: mark)
      else { return bytes }
      return bytes[..<Self.pictureHeadBytes] + mark + bytes[Self.pictureHeadBytes...]
    case .document:
      return Self.isMarked(bytes, by: command) ? bytes : Self.documentMark(command, bytes) + bytes
    }
  }

  private static func pageMark(_ command: String) -> [UInt8] {
    Array("<meta name=\"generator\" content=\"\(command)\">".utf8)
  }

  private static func vectorMark(_ command: String) -> [UInt8] { Array("<!-- made by \(command) -->".utf8) }

  /// The signature and the chunk `IHDR`, which comes first (PNG, third edition, 5.2 and 5.6).
  private static let pictureHeadBytes = 33

  /// The chunk `tEXt` with the keyword `Software` (PNG, third edition, 11.3.3.2).
  private static func pictureMark(_ command: String) -> [UInt8] {
    func big(_ number: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }
    let content = Array("Software\0\(command)".utf8)
    let body = Array("tEXt".utf8) + content
    return big(UInt32(content.count)) + body + big(CRC32.value(of: body))
  }

  private static func documentMark(_ command: String, _ rest: [UInt8]) -> [UInt8] {
    Array("// Written by '\(command)'; SHA-256 of the rest: \(SHA256.hexDigest(of: rest))\n".utf8)
  }
}
