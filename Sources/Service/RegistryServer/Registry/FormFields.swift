package import LinkspanCore

/// Names and values of a query or of a body in the form `a=1&b=2`.
package struct FormFields: Sendable {
  /// Ours: no route takes nearly as many.
  package static let limit = 200

  package private(set) var list: [(name: String, value: String)] = []

  /// - Returns: nil for more than ``limit`` fields, and for text that is no percent-encoded UTF-8.
  package init?(_ text: some StringProtocol) {
    for part in text.utf8.split(separator: UInt8(ascii: "&")) {
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(sides[0]), list.count < Self.limit,
        let value = sides.count > 1 ? Self.decoded(sides[1]) : ""
      else { return nil }
      list.append((name, value))
    }
  }

  private static func decoded(_ part: some Collection<UInt8>) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(part.count)
    var rest = part.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(ASCII.hexValue), let low = rest.next().flatMap(ASCII.hexValue)
        else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  package func values(_ name: String) -> [String] { list.filter { $0.name == name }.map(\.value) }
}

extension HTTPRequest {
  /// What stands behind the first `?`.
  package var query: Substring {
    target.utf8.firstIndex(of: UInt8(ascii: "?")).map { target[target.index(after: $0)...] } ?? ""
  }
}
