internal import AssociatedDomains
package import HeldURLs
internal import LinkspanCore

/// A URL split as RFC 3986 (appendix B) splits it, and otherwise left exactly as it was written.
///
/// Nothing is normalised or decoded: Apple's matcher compares the text as written (K3, P10).
package struct LinkURL: Sendable {
  /// Longer ones are decided as no match. Our choice, near what Safari takes (about 80,000 characters by reports);
  /// it bounds what hostile patterns can cost.
  package static let lengthLimitBytes = 65_536

  package let text: String
  /// Lower-cased; empty when there is none.
  package let scheme: String
  /// Without user information and port; empty when there is none.
  private let hostPlace: Range<Int>
  /// Whether it is a name of which no entry's host need be asked whether it can be one.
  private let hasPlainHost: Bool
  /// The digits after the host's colon; nil when there is no colon or nothing behind it.
  package let port: String?
  /// Byte ranges; an absent component is an empty range.
  package let path: Range<Int>
  package let query: Range<Int>
  package let fragment: Range<Int>
  /// What was made of the text that a person wrote; nil where it is a URL in the form that devices hold.
  package let held: HeldURL?

  /// What a person or a page wrote: the URL that a device makes of it. Where it makes none nothing matches.
  ///
  /// - Parameter os: The release; nil for the newest.
  package init(written text: String, in place: HeldURL.Place = .page, on os: OSVersion? = nil) {
    self.init(HeldURL(text, writtenIn: place, encodes: os?.encodesURLsInCode ?? true))
  }

  package init(_ held: HeldURL) {
    self.init(held.text, held: held.isChanged || held.fault != nil ? held : nil)
  }

  /// A URL in the form that devices hold, compared as it is.
  package init(_ text: String) { self.init(text, held: nil) }

  private init(_ text: String, held: HeldURL?) {
    self.held = held
    // All of it in one look at the text, which counts no reference of its own.
    let (places, scheme, port): (Places, String, String?) = Self.withBytes(of: text) { bytes in
      let places = Places(bytes)
      return (
        places, places.isHTTPS ? "https" : Self.lowercased(bytes[0..<places.schemeEnd]),
        places.port.isEmpty ? nil : String(decoding: bytes[places.port], as: UTF8.self)
      )
    }
    self.text = text
    self.scheme = scheme
    self.port = port
    hostPlace = places.host
    hasPlainHost = places.hasPlainHost
    path = places.path
    query = places.query
    fragment = places.fragment
  }

  /// Calls with the bytes of the text, which are not copied: a copy costs a decision a sixth of its time.
  @inline(__always)
  package func withBytes<Answer>(_ body: (UnsafeBufferPointer<UInt8>) -> Answer) -> Answer {
    Self.withBytes(of: text, body)
  }

  @inline(__always)
  private static func withBytes<Answer>(
    of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Answer
  ) -> Answer {
    if let answer = text.utf8.withContiguousStorageIfAvailable(body) { return answer }
    var copy = text
    return copy.withUTF8(body)
  }

  /// A copy of some of the text's bytes.
  package func bytes(of range: Range<Int>) -> [UInt8] { withBytes { Array($0[range]) } }

  package var byteCount: Int { text.utf8.count }

  /// Where the components lie.
  private struct Places {
    var isHTTPS = false
    var schemeEnd = 0
    var host = 0..<0
    /// Whether the host is a name that ends in a letter and is no longer than a label may be, as nearly every link's is: only
    /// of others is a text made and read.
    var hasPlainHost = false
    var port = 0..<0
    var path: Range<Int>
    var query: Range<Int>
    var fragment: Range<Int>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      let end = bytes.count
      let slash = UInt8(ascii: "/")
      let question = UInt8(ascii: "?")
      let hash = UInt8(ascii: "#")
      let colon = UInt8(ascii: ":")

      var rest = 0
      isHTTPS =
        end > 5 && bytes[0] == UInt8(ascii: "h") && bytes[1] == UInt8(ascii: "t")
        && bytes[2] == UInt8(ascii: "t") && bytes[3] == UInt8(ascii: "p") && bytes[4] == UInt8(ascii: "s")
        && bytes[5] == colon
      let stop = isHTTPS ? 5 : bytes.first(colon, from: 0, to: end)
      if stop > 0, stop < end,
        isHTTPS || !bytes[..<stop].contains(where: { $0 == slash || $0 == question || $0 == hash })
      {
        schemeEnd = stop
        rest = stop + 1
      }

      if end - rest >= 2, bytes[rest] == slash, bytes[rest + 1] == slash {
        var begin = rest + 2
        /// The last colon, unless a bracket of an IPv6 address is behind it.
        var mark: Int?
        var isPlain = true
        var index = begin
        loop: while true {
          while index < end, Self.isWord(bytes[index]) { index += 1 }
          if index == end { break }
          switch bytes[index] {
          case slash, question, hash: break loop
          case UInt8(ascii: "@"): (begin, mark, isPlain) = (index + 1, nil, true)
          case colon:
            // The one before belongs to the host.
            if mark != nil { isPlain = false }
            mark = index
          case UInt8(ascii: "]"): (mark, isPlain) = (nil, false)
          case UInt8(ascii: "."), UInt8(ascii: "-"):
            // A label is not empty, and does not begin or end with a hyphen; two hyphens may follow one another.
            let previous = index == begin ? UInt8(ascii: ".") : bytes[index - 1]
            let endsWell = bytes[index] == UInt8(ascii: "-") || previous != UInt8(ascii: "-")
            if mark == nil, previous == UInt8(ascii: ".") || !endsWell { isPlain = false }
          default: if mark == nil { isPlain = false }
          }
          index += 1
        }
        host = begin..<(mark ?? index)
        hasPlainHost =
          isPlain && !host.isEmpty && host.count <= HostName.labelBytes
          && ASCII.isLetter(bytes[host.upperBound - 1])
        if let mark { port = (mark + 1)..<index }
        rest = index
      }

      let queryEnd = bytes.first(hash, from: rest, to: end)
      let pathEnd = bytes.first(question, from: rest, to: queryEnd)
      path = rest..<pathEnd
      query = min(pathEnd + 1, queryEnd)..<queryEnd
      fragment = min(queryEnd + 1, end)..<end
    }

    /// A letter, a digit or an underscore: one look at a bit, in place of a comparison for each kind.
    @inline(__always)
    private static func isWord(_ byte: UInt8) -> Bool {
      byte < 128 && (byte < 64 ? digits : letters) >> UInt64(byte & 63) & 1 == 1
    }

    /// `0` to `9`.
    private static let digits: UInt64 = 0x03FF_0000_0000_0000
    /// `A` to `Z`, `_` and `a` to `z`, from the 64th byte on.
    private static let letters: UInt64 = 0x07FF_FFFE_87FF_FFFE
  }

  private static func lowercased(_ bytes: some Collection<UInt8>) -> String {
    bytes.contains { $0 &- 0x41 < 26 }
      ? String(decoding: bytes.map(ASCII.lowercased), as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
  }

  /// Lower-cased, without user information and port; empty when there is none.
  package var host: String {
    hostPlace.isEmpty ? "" : withBytes { Self.lowercased($0[hostPlace]) }
  }

  /// Whether it is on the host of the links that Apple makes for App Clips: no app claims it, and no file of it decides
  /// (AC24).
  package var isAppleClipLink: Bool { hasHost("appclip.apple.com") }

  /// Why no entry of an app can name the host; nil for every other.
  var unnamedHost: AssociatedDomain.UnnamedHost? {
    hostPlace.isEmpty || hasPlainHost ? nil : AssociatedDomain.unnamed(host)
  }

  /// Whether a lower-cased name is the host. Makes no text of the host, which costs a decision a tenth of its time.
  func hasHost(_ name: String) -> Bool {
    guard name.utf8.count == hostPlace.count else { return false }
    return withBytes { bytes in
      Self.withBytes(of: name) { name in
        let own = UnsafeBufferPointer(rebasing: bytes[hostPlace])
        return own.isExactly(name) || zip(own, name).allSatisfy { ASCII.lowercased($0) == $1 }
      }
    }
  }

  /// What a person wrote.
  package var written: String { held?.written ?? text }

  /// Why a device makes no URL of what was written, as a clause.
  package var fault: String? { held?.fault }

  /// Whether the port is absent or the scheme's own (M3, inferred from E3).
  package var hasDefaultPort: Bool {
    guard let port else { return true }
    return (scheme == "https" && port == "443") || (scheme == "http" && port == "80")
  }

  package func text(of range: Range<Int>) -> String {
    withBytes { String(decoding: $0[range], as: UTF8.self) }
  }
}

extension LinkURL: Hashable {
  /// By bytes: two spellings of a character are two URLs. All else follows from the text and what was made of it.
  package static func == (left: LinkURL, right: LinkURL) -> Bool {
    left.text.isExactly(right.text) && left.held == right.held
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
