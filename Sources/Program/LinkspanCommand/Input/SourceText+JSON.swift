package import LinkspanCore

/// JSON that a command passes on as it is written.
extension SourceText {
  /// Reads the text as JSON.
  ///
  /// - Parameters:
  ///   - what: What is expected, such as `an array of variants`.
  ///   - isArray: Whether that is an array; else it is an object.
  ///   - help: How one looks.
  /// - Throws: Each mistake with its place, or that the text is of another type.
  package func json(
    _ what: String, isArray: Bool = false, help: String
  ) throws(LinkspanError) -> JSONNode {
    let document = JSONParser.parse(bytes)
    let findings = document.errors.map {
      Finding(
        rule: "json.\($0.kind.rawValue)", severity: .error, at: .init(self, $0.range), message: $0.message,
        help: $0.help)
    }
    guard findings.isEmpty, let root = document.root else {
      throw LinkspanError("'\(name)' is not JSON:", findings: findings)
    }
    guard isArray ? root.array != nil : root.object != nil else {
      throw LinkspanError("'\(name)' is \(root.typeName); expected \(what).", help: help)
    }
    return root
  }
}
