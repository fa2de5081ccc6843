import AppClips
import FuzzSupport
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzTag_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no dump of a tag stops the program, as bytes or as text; every refusal says why; a URL that was read comes back
/// from the tag that is written for it; what is written down as digits is read as the same bytes.
private func check(_ input: [UInt8]) {
  let dump = TagDumpText.isText(input) ? TagDumpText.bytes(of: input) : input
  guard let dump else { return }
  precondition(dump.count <= max(input.count, 1 << 17), "more bytes than the text tells")
  do throws(NDEFError) {
    let uri = try NDEFMessage.uri(of: dump)
    let again = try NDEFMessage.uri(of: NDEFMessage(uri: uri).tagBytes)
    precondition(again == uri, "another URL: \(again)")
  } catch {
    precondition(!error.message.isEmpty, "a silent refusal")
  }
  let digits = Array(ASCII.hexText(dump).utf8)
  if dump.count > 4 { precondition(TagDumpText.bytes(of: digits) == dump, "other bytes") }
}
