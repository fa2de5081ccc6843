package import LinkspanCore

extension Console {
  /// Prints what was not done where that is an answer, and no failure: `{"type":"refused","status":…,"detail":…}`.
  ///
  /// - Parameters:
  ///   - detail: Why.
  ///   - status: The server's; nil where no server was asked.
  ///   - findings: The mistakes of a file that it is about; nil where no file is.
  package func printRefusal(_ detail: String, status: Int? = nil, findings: [Finding]? = nil) {
    var members: [(String, JSON)] = [
      ("type", .string("refused")), ("status", JSON(status)), ("detail", .string(detail)),
    ]
    if let findings { members.append(("findings", .array(findings.map { $0.json }))) }
    print(.object(members))
  }

  /// An error to throw, which is printed on standard output as well where a command's answers are JSON.
  package func refused(
    _ error: LinkspanError, asJSON: Bool, status: Int? = nil, findings: [Finding]? = nil
  ) -> LinkspanError {
    guard asJSON else { return error }
    printRefusal(error.text, status: status, findings: findings)
    // Who throws leaves behind what is not written yet.
    flush()
    return error
  }
}
