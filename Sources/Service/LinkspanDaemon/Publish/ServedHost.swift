internal import LinkspanCore

/// Names of hosts, where they are names of folders.
enum ServedHost {
  /// Ours: a name of the domain name system has at most 253 characters, an address of IPv6 in brackets fewer.
  private static let limitBytes = 255

  /// Why nobody can ask for a host with this name, without a full stop; nil when somebody can.
  static func fault(of host: String) -> String? {
    // Letters beyond ASCII are asked for in Punycode, and addresses of IPv6 in brackets.
    let isName = host.unicodeScalars.allSatisfy { scalar in
      guard scalar.isASCII else { return !Self.isInvisible(scalar) }
      return isLetterOrDigit(UInt8(scalar.value)) || "-._".unicodeScalars.contains(scalar)
    }
    let isAddress =
      host.hasPrefix("[") && host.hasSuffix("]")
      && host.utf8.dropFirst().dropLast().allSatisfy { isLetterOrDigit($0) || $0 == 0x3A || $0 == 0x2E }
    if isName || isAddress, host.utf8.contains(where: { $0 >= 0x80 || isLetterOrDigit($0) }),
      host.utf8.first != UInt8(ascii: "."), host.utf8.last != UInt8(ascii: "."), host.utf8.count <= limitBytes
    {
      return nil
    }
    return
      "no device asks for a host '\(Self.shown(host))': give the folder the name of the host itself, without a port, and each host a folder"
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
