import FuzzSupport
import LinkspanCore
import LinkspanCrypto
import PushStandIn

/// The entry that the package manager expects of an executable.
@_cdecl("FuzzAPNs_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  guard let key = try? P256PrivateKey.generate() else { preconditionFailure("no key") }
  let provider = ProviderKey(identifier: "A1B2C3D4E5", team: "F6G7H8I9J0", publicKey: key.publicKey)
  return fuzz(argc, argv) { check($0, provider) }
}

/// What a stand-in for APNs reads from others: a rules file, a list of tokens, a provider token, a certificate and a request.
///
/// The laws: no input stops the program; a finding says what to do; every request is answered, one with a token that the
/// key never signed with 403; a refusal has the status of its reason.
private func check(_ input: [UInt8], _ key: ProviderKey) {
  let source = SourceText(name: "rules.json5", bytes: input)
  var configuration = APNsConfiguration()
  configuration.keys = [key]
  switch RulesDocument.parse(source) {
  case .document(let document): document.apply(to: &configuration)
  case .findings(let findings): checkFindings(findings)
  }
  if case .findings(let findings) = DeviceTokens.parse(source) { checkFindings(findings) }

  let now = WallTime(milliseconds: 1_800_000_000_000)
  var service = APNsService(configuration, start: now)
  let text = String(decoding: input, as: UTF8.self)
  var forged = APNsConnection(number: 1)
  let refused = service.reply(to: request(text, authorization: "bearer " + text), over: &forged, at: now)
  precondition(refused.response.status != 200, "a token that the key never signed was accepted")

  let certificate = ProviderCertificate(der: input, at: now)
  var trusted = APNsConnection(number: 2, certificate: certificate)
  _ = service.reply(to: request(text, authorization: nil), over: &trusted, at: now)
  var known = APNsConnection(number: 3, certificate: ProviderCertificate(topics: ["com.example.app"]))
  for target in ["/3/device/00fc", "/1/apps/com.example.app/channels", text] {
    var request = request(text, authorization: nil)
    request.target = target
    let reply = service.reply(to: request, over: &known, at: now)
    if let reason = reply.facts.reason, let status = reply.facts.status {
      precondition(reason.status == status, "\(reason.rawValue) came with \(status)")
    }
    precondition(!reply.facts.json.bytes.contains(0x0A), "a line of the record is not one line")
  }
}

private func checkFindings(_ findings: [Finding]) {
  precondition(!findings.isEmpty, "refused without a finding")
  for finding in findings {
    precondition(!finding.message.isEmpty && finding.help?.isEmpty == false, "a silent finding")
  }
}

private func request(_ text: String, authorization: String?) -> HTTPRequest {
  var request = HTTPRequest(
    method: "POST", authority: "api.push.apple.com", target: "/3/device/00fc", body: Array(text.utf8))
  request.fields["authorization"] = authorization
  request.fields["apns-topic"] = "com.example.app"
  request.fields["apns-channel-id"] = text
  return request
}
