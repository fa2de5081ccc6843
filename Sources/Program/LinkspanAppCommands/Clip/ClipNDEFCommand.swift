internal import AppClips
internal import HeldURLs
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  static let clipNDEF = Command(
    name: "clip ndef",
    summary: "The bytes of an NFC tag for a URL and the tags they fit; or the URL in a dump",
    operands: "URL",
    discussion: """
      Prints the NDEF message with the URL as its only record, in hexadecimal digits, as a type 2 tag holds it, and
      which tags on sale have room for it; warns of a scheme that iOS does not open from a tag. With '--read' it prints
      the URL in a dump instead, and compares it with URL if one is given. A dump is a message, or the memory of a type 2
      tag such as an NTAG213: all of it, or from its capability container or its data on.
      """,
    flags: [
      Flag(
        "--read", "FILE", "A dump of a tag: bytes, hexadecimal digits, or lines of a reader, xxd or hexdump"),
      Flag(
        "--output", short: "-o", "OUT", "Write the bytes of the message to this file; '-' is standard output"),
      .force,
    ],
    examples: [
      "linkspan clip ndef https://example.com/shop",
      "linkspan clip ndef https://example.com/shop --read tag.bin",
    ],
    exitStatus: "0 done, 1 the dump holds another URL, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    if let dump = arguments.value("--read") {
      try arguments.expectOperands(0...1)
      if arguments.has("--output") { throw arguments.usage("'--output' does not go with '--read'") }
      return try compare(dump, with: arguments.operands.first, arguments, console)
    }
    try arguments.expectOperands(1...1)
    let held = try ExperienceInput.carried(arguments.operands[0], arguments, console)
    let message = NDEFMessage(uri: held.text)
    let findings = message.findings(at: .init(file: message.uri.withoutUserInformation))
    try arguments.output("--output", written)?.write(message.bytes, console)
    if arguments.has("--json") {
      console.print(
        .object(
          [
            ("type", .string("clip-ndef")), ("url", .string(message.uri.withoutUserInformation)),
            ("message_hex", .string(ASCII.hexText(message.bytes))),
            ("message_bytes", .int(message.bytes.count)),
            ("tag_hex", .string(ASCII.hexText(message.tagBytes))),
            ("tag_bytes", .int(message.tagBytes.count)),
            (
              "tags",
              .array(
                NDEFMessage.tags.map {
                  .object([
                    ("name", .string($0.name)), ("capacity_bytes", .int($0.bytes)),
                    ("fits", .bool(message.fits($0.bytes))),
                  ])
                })
            ), ("findings", .array(findings.map(\.json))),
          ] + held.members))
      return .yes
    }
    console.print("message  \(message.bytes.count) bytes  \(ASCII.hexText(message.bytes))")
    console.print("tag      \(message.tagBytes.count) bytes  \(ASCII.hexText(message.tagBytes))")
    for tag in NDEFMessage.tags {
      console.print(
        "  \(message.fits(tag.bytes) ? "fits" : "too large for"): \(tag.name), \(tag.bytes) bytes")
    }
    for finding in findings { console.print(finding.text(style: console.style), terminator: "") }
    return .yes
  }

  /// A message as this command writes it, with the one record of its URL and nothing else.
  private static let written = OutputKind.form("a message of 'linkspan clip ndef'") { bytes in
    do throws(NDEFError) {
      return NDEFMessage(uri: try NDEFMessage.uri(of: bytes)).bytes == bytes
    } catch {
      return false
    }
  }

  private static func compare(
    _ path: String, with url: String?, _ arguments: Arguments, _ console: Console
  ) throws(LinkspanError) -> ExitStatus {
    var bytes = try FileReader.bytes(path)
    let text = ByteOrderMark.removed(from: bytes[...]).map { Array($0) } ?? bytes
    if TagDumpText.isText(text) {
      guard let written = TagDumpText.bytes(of: text) else {
        throw LinkspanError(
          "'\(path)' is text, and not the bytes of a tag in hexadecimal digits.",
          help: "Save the dump as binary, or as hexadecimal digits alone.")
      }
      bytes = written
    }
    let found: String
    do throws(NDEFError) { found = try NDEFMessage.uri(of: bytes) } catch {
      throw LinkspanError("'\(path)' has no URL: \(error.message)", help: "Write the tag again.")
    }
    // As a device holds both: a tag written elsewhere may have another case, or no slash behind the host.
    let isEqual = try url.map { text throws(LinkspanError) in
      let wanted = NDEFMessage.opensWithoutHost(text) ? text : try ExperienceInput.url(text, arguments)
      return HeldURL(wanted).text == HeldURL(found).text
    }
    let findings = NDEFMessage(uri: found).findings(at: .init(file: path))
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("clip-ndef")), ("file", .string(path)),
          ("url", .string(found.withoutUserInformation)),
          ("is_equal", isEqual.map(JSON.bool) ?? .null), ("findings", .array(findings.map(\.json))),
        ]))
    } else {
      let other = isEqual == false ? ", and not \(url?.withoutUserInformation ?? "")" : ""
      console.print(found.withoutUserInformation + other)
      for finding in findings { console.print(finding.text(style: console.style), terminator: "") }
    }
    return isEqual == false ? .no : .yes
  }
}
