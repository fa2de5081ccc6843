package import LinkspanCore

/// What is decided about a push from its payload and its headers alone. The lint, the explanation, the stories, the registry's
/// API and the senders ask it; what the stand-in refuses is in ``refusals``.
package struct PushDecision: Sendable {
  package let source: PayloadSource
  /// Every finding of every rule, in reading order.
  package let findings: [Finding]

  package init(_ source: PayloadSource) {
    self.source = source
    findings = PayloadChecker.findings(in: source)
  }

  /// What the header says; else what the payload looks like. Nil for a header that is none of Apple's types.
  package var type: PushType? { source.type }

  /// What APNs answers with an error.
  package var refusals: [PushRefusal] { source.refusals }

  /// The headers that are not known and that decide.
  package var missing: [MissingPushHeader] { source.headers.missing(for: type) }

  /// What keeps the push from being called right.
  package var errors: [Finding] { findings.filter { $0.severity == .error } }

  /// The first error with an effect on the device.
  package func error(_ effect: PayloadRule.Effect) -> Finding? {
    errors.first { PayloadRule.effect(of: $0) == effect }
  }
}

extension ReceivedPayload {
  /// - Throws: When a device could not read the payload at all.
  package init(_ source: PayloadSource) throws(PayloadProblem) {
    if let error = source.document.errors.first {
      throw PayloadProblem(message: "the payload is not JSON: \(error.message)", help: error.help)
    }
    guard let payload = source.payload, payload.object != nil else {
      throw PayloadProblem(
        message: "the payload is not an object", help: "Write {\"aps\":{\"content-available\":1}}.")
    }
    guard source.aps != nil || source.type == .mdm else {
      throw PayloadProblem(
        message: "the payload has no dictionary 'aps'",
        help: source.type == .voip
          ? PayloadRule.emptyApsHelp
          : "Put what the system reads inside it: {\"aps\":{\"content-available\":1}}.")
    }
    self = source.content
  }

  /// - Throws: When a device could not read the payload at all.
  package init(_ bytes: [UInt8]) throws(PayloadProblem) {
    try self.init(PayloadSource(SourceText(name: "payload", bytes: bytes)))
  }
}
