import LinkspanCore

extension IDNA {
  /// A host in the letters for which its labels of Punycode stand.
  static func letters(of host: String) -> String {
    host.split(separator: ".", omittingEmptySubsequences: false).map { label in
      let coded = label.hasPrefix("xn--") ? Array(label.utf8.dropFirst(4)) : []
      let scalars = coded.isEmpty ? nil : Punycode.decoded(coded)
      return scalars.map { String(String.UnicodeScalarView($0.compactMap(Unicode.Scalar.init))) }
        ?? String(label)
    }.joined(separator: ".")
  }
}
