import LinkspanCore

extension AssociatedDomain {
  /// Our choice; an entry has fewer parts.
  private static let stepLimit = 8

  /// The entry that was meant, in its plain form, when nothing else can have been.
  ///
  /// Mended are blanks around it, a misspelt service or mode, a scheme behind the service, a path or slash
  /// behind the host, a dot at its end and upper case. Whatever leaves a choice is not: a URL without a
  /// service, a port, a query, a host in letters beyond ASCII.
  ///
  /// - Returns: nil when a choice is left; the text itself when nothing is wrong with it.
  package static func mended(_ text: String) -> String? {
    var text = text
    for _ in 0..<stepLimit {
      do throws(AssociatedDomainProblem) {
        return try AssociatedDomain(text).canonicalText
      } catch {
        guard let next = step(text, error), next != text else { return nil }
        text = next
      }
    }
    return nil
  }

  private static func step(_ text: String, _ problem: AssociatedDomainProblem) -> String? {
    switch problem.kind {
    case .blank:
      let scalars = Array(text.unicodeScalars)
      let isBlank = { (scalar: UnicodeScalar) in scalar.value <= 0x20 || scalar.properties.isWhitespace }
      guard let first = scalars.firstIndex(where: { !isBlank($0) }),
        let last = scalars.lastIndex(where: { !isBlank($0) })
      else { return nil }
      return String(String.UnicodeScalarView(scalars[first...last]))
    case .unknownService:
      let name = text.prefix { $0 != ":" }
      let letters = String(decoding: ASCII.lowercased(name).utf8.filter(ASCII.isLetter), as: UTF8.self)
      guard let service = Spelling.onlyNearest(to: letters, among: Service.allCases.map({ $0.rawValue }))
      else {
        return nil
      }
      return service + text.dropFirst(name.count)
    case .scheme:
      // Without a service before it, the service is for the author to say.
      let hasService = Service.allCases.contains { text.hasPrefix($0.rawValue + ":") }
      return hasService ? replacing(problem.range, in: text, by: "") : nil
    case .path, .trailingSlash, .trailingDot: return replacing(problem.range, in: text, by: "")
    case .mode:
      let written = ASCII.lowercased(String(decoding: Array(text.utf8)[problem.range], as: UTF8.self))
      let isReversed = ["managed+developer", "developer%2bmanaged"].contains(written)
      let modes = Mode.allCases.map { $0.rawValue }
      let meant =
        isReversed ? Mode.developerAndManaged.rawValue : Spelling.onlyNearest(to: written, among: modes)
      return meant.flatMap { replacing(problem.range, in: text, by: $0) }
    default: return nil
    }
  }

  private static func replacing(_ range: Range<Int>, in text: String, by other: String) -> String? {
    let bytes = Array(text.utf8)
    return String(
      validating: bytes[..<range.lowerBound] + Array(other.utf8) + bytes[range.upperBound...], as: UTF8.self)
  }
}
