import AppSiteAssociation
import FuzzSupport
import HeldURLs
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzHeldURL_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: whatever is written, a URL that is held is held as it is, is ASCII, and splits where the matcher splits it; a
/// text that is no URL says why.
private func check(_ input: [UInt8]) {
  let text = String(decoding: input, as: UTF8.self)
  for (place, encodes) in [(HeldURL.Place.page, true), (.code, true), (.code, false)] {
    let held = HeldURL(text, writtenIn: place, encodes: encodes)
    if let fault = held.fault {
      precondition(!fault.isEmpty && held.text == text, "a silent fault")
      continue
    }
    precondition(
      HeldURL(held.text, writtenIn: place, encodes: encodes).text == held.text, "held twice: \(text)")
    let url = LinkURL(held)
    guard place == .page, held.isChanged else { continue }
    precondition(["http", "https"].contains(url.scheme) && !url.host.isEmpty, "no web URL: \(held.text)")
    precondition(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "not encoded: \(held.text)")
  }
}
