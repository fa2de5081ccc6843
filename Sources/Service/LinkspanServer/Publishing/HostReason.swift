package import LinkspanCore

/// Why a host is in its state: sentences in which times and names are still values, so that a page shows them as it shows all
/// others.
package struct HostReason: ExpressibleByStringInterpolation, CustomStringConvertible, Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case text(String)
    case time(WallTime)
    /// Who did something, as audit logs name people and credentials.
    case actor(String)
  }

  package private(set) var parts: [Part]

  package init(_ text: String) { parts = [.text(text)] }

  package init(stringLiteral value: String) { self.init(value) }

  package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// As one line of text.
  package var description: String {
    parts.map { part in
      switch part {
      case .text(let text), .actor(let text): text
      case .time(let time): time.description
      }
    }.joined()
  }

  /// What is between the quotation marks of a literal.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) { parts.append(.text(literal)) }

    package mutating func appendInterpolation(_ text: String) { parts.append(.text(text)) }

    package mutating func appendInterpolation(_ reason: HostReason) { parts += reason.parts }

    package mutating func appendInterpolation(time: WallTime) { parts.append(.time(time)) }

    package mutating func appendInterpolation(actor: String) { parts.append(.actor(actor)) }
  }
}
