import FuzzSupport
import LinkspanCore
import PushDelivery
import PushProvider
import PushTerms

/// The entry that the package manager expects of an executable.
@_cdecl("FuzzPayload_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no input stops the program; a finding says what to do; a payload reads the same when it is written again.
private func check(_ input: [UInt8]) {
  checkDelivery(input)
  let source = PayloadSource(SourceText(name: "payload.apns", bytes: input))
  for finding in PayloadChecker.findings(in: source) {
    precondition(!finding.message.isEmpty && finding.help?.isEmpty == false, "a silent finding")
  }
  guard source.document.isWellFormed, let root = source.document.root, let payload = PushPayload(root) else {
    return
  }
  let text = payload.json.bytes
  guard let again = JSONParser.parse(text).root.flatMap(PushPayload.init) else {
    preconditionFailure("what was written is no payload")
  }
  precondition(again.json.bytes == text, "what was written reads otherwise")
}

/// The same of what a device reads: a refusal says what to do, and an explanation has an answer at every gate.
private func checkDelivery(_ input: [UInt8]) {
  do throws(PayloadProblem) {
    let payload = try ReceivedPayload(input)
    let traits = PushAppTraits(bundleIdentifier: "a.b", environment: .production, backgroundModes: [])
    let situation = PushSituation(SentPush(payload), to: traits, at: WallTime(milliseconds: 0))
    precondition(situation.explained.steps.count == DeliveryGate.allCases.count, "a gate says nothing")
  } catch {
    precondition(!error.message.isEmpty && !error.help.isEmpty, "a silent refusal")
  }
}
