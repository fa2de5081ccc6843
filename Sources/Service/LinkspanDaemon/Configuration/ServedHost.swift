internal import LinkspanCore

/// Names of hosts, where they are names of folders.
package enum ServedHost {
  /// Ours: a name of the domain name system has at most 253 characters, an address of IPv6 in brackets fewer.
  private static let limitBytes = 255

  /// Why nobody can ask for a host with this name, without a full stop; nil when somebody can.
  package static func fault(of host: String) -> String? {
    // Letters beyond ASCII are asked for in Punycode, and addresses of IPv6 in brackets.
    let isPlain = host.utf8.allSatisfy { $0 < 0x80 }
    let isName = host.unicodeScalars.allSatisfy { scalar in
      guard scalar.isASCII else { return !Self.isInvisible(scalar) }
      return isLetterOrDigit(UInt8(scalar.value)) || "-._".unicodeScalars.contains(scalar)
    }
    let isAddress =
      host.hasPrefix("[") && host.hasSuffix("]")
      && host.utf8.dropFirst().dropLast().allSatisfy { isLetterOrDigit($0) || $0 == 0x3A || $0 == 0x2E }
    // What 'check' calls no host name.
    let fault = isPlain && !isAddress ? HostName.fault(in: Array(host.utf8)) : nil
    if isName || isAddress, fault == nil, host.utf8.contains(where: { $0 >= 0x80 || isLetterOrDigit($0) }),
      host.utf8.first != UInt8(ascii: "."), host.utf8.last != UInt8(ascii: "."), host.utf8.count <= limitBytes
    {
      return nil
    }
    return "no device asks for a host '\(Self.shown(host))'" + (fault.map { ", which \($0.text)" } ?? "")
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool { ASCII.isLetter(byte) || ASCII.isDigit(byte) }

  /// Whether a terminal shows something else than this for it, if anything.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .unassigned:
      true
    default: false
    }
  }

  private static func shown(_ host: String) -> String {
    String(
      String.UnicodeScalarView(
        host.unicodeScalars.prefix(limitBytes).filter { $0 == " " || !isInvisible($0) }))
  }
}
