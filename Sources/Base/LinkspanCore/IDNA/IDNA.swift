/// Host names in the letters of the domain name system: Unicode's UTS #46, nontransitional, as the URL standard asks for it.
///
/// - Source: Unicode Technical Standard #46, revision 33; URL standard, "domain to ASCII" (without `beStrict`).
package enum IDNA {
  /// Why a text is no host name; goes on after "the host ".
  package struct Fault: Error, Hashable, Sendable {
    package let reason: String
  }

  /// Our choice: no host name is longer than 253 letters, and a longer text costs more than it tells.
  private static let lengthLimitBytes = 4_096

  /// Each label with letters beyond ASCII as `xn--…`, the others in lower case. Labels that say they are Punycode must be.
  ///
  /// - Throws: ``Fault`` for letters that no host name holds, and for labels that break Unicode's rules. Hyphens and lengths are
  ///   not looked at, as in browsers; ``HostName/fault(in:)`` does.
  package static func ascii(_ host: some StringProtocol) throws(Fault) -> String {
    let isPlain = host.utf8.allSatisfy { $0 < 0x80 } && !hasPunycode(host)
    if isPlain { return ASCII.lowercased(String(host)) }
    guard host.utf8.count <= lengthLimitBytes else {
      throw Fault(reason: "has more than \(lengthLimitBytes) bytes")
    }
    var labels: [Label] = []
    for text in Normalization.composed(mapped(host)).split(separator: 0x2E, omittingEmptySubsequences: false)
    {
      labels.append(try Label(text))
    }
    let isBidi = labels.contains(where: { $0.hasRightToLeft })
    var names: [String] = []
    for label in labels {
      try label.check(isBidi: isBidi)
      names.append(try label.ascii)
    }
    return names.joined(separator: ".")
  }

  /// A host that a person or a client names: as ``ascii(_:)`` has it, and what that refuses, such as an address in brackets, in
  /// lower case; without a final dot. Whatever keeps, compares or serves a host has it by this name.
  package static func named(_ host: String) -> String {
    HostName.withoutFinalDot((try? ascii(host)) ?? ASCII.lowercased(host))
  }

  private static func hasPunycode(_ host: some StringProtocol) -> Bool {
    host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains {
      $0.prefix(4).map(ASCII.lowercased).elementsEqual("xn--".utf8)
    }
  }

  /// Section 4, step 1: every scalar as the table has it. Those that are disallowed stay, for the check to find.
  private static func mapped(_ host: some StringProtocol) -> [UInt32] {
    var result: [UInt32] = []
    for scalar in host.unicodeScalars.lazy.map({ $0.value }) {
      switch IDNATables.status(of: scalar) {
      case .valid, .disallowed: result.append(scalar)
      case .ignored: break
      case .mapped(let scalars): result += scalars
      }
    }
    return result
  }

  static func shown(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension IDNA {
  /// A label between two dots, mapped and composed.
  struct Label {
    /// With the letters it stands for, where it was Punycode.
    let scalars: [UInt32]
    private let wasPunycode: Bool

    private static let prefix = Array("xn--".unicodeScalars.map { $0.value })

    /// Section 4, step 4: Punycode decoded.
    init(_ text: ArraySlice<UInt32>) throws(Fault) {
      wasPunycode = text.starts(with: Self.prefix)
      guard wasPunycode else {
        scalars = Array(text)
        return
      }
      let coded = text.dropFirst(Self.prefix.count)
      guard coded.allSatisfy({ $0 < 0x80 }), let decoded = Punycode.decoded(coded.map { UInt8($0) }),
        decoded.contains(where: { $0 >= 0x80 })
      else {
        let name = text.compactMap(Unicode.Scalar.init).map { String($0) }.joined()
        throw Fault(reason: "has the label '\(name)', which is not Punycode")
      }
      scalars = decoded
    }

    var hasRightToLeft: Bool {
      scalars.contains { scalar in
        switch IDNATables.bidiClass(of: scalar) {
        case .rightToLeft, .arabicLetter, .arabicNumber: true
        default: false
        }
      }
    }

    var ascii: String {
      get throws(Fault) {
        let text = scalars.compactMap(Unicode.Scalar.init).reduce(into: "") { $0.unicodeScalars.append($1) }
        if scalars.allSatisfy({ $0 < 0x80 }) { return text }
        guard let coded = Punycode.encoded(text) else { throw Fault(reason: "has a label that is too long") }
        return "xn--" + coded
      }
    }

    /// Section 4.1, without hyphens in the third and fourth place.
    func check(isBidi: Bool) throws(Fault) {
      guard let first = scalars.first else { return }
      if scalars.starts(with: Self.prefix) {
        throw Fault(reason: "has a label that is Punycode of Punycode")
      }
      if wasPunycode, Normalization.composed(scalars) != scalars {
        throw Fault(reason: "has a label of Punycode whose letters are not composed (NFC)")
      }
      if IDNATables.isMark(first) {
        throw Fault(reason: "has a label that begins with the combining mark \(IDNA.shown(first))")
      }
      for scalar in scalars {
        guard case .valid = IDNATables.status(of: scalar), scalar != 0x2E else {
          throw Fault(reason: "contains \(IDNA.shown(scalar)), which is not allowed in host names")
        }
      }
      try checkJoiners()
      if isBidi { try checkDirection() }
    }
  }
}
