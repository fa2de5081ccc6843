internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import PushProvider

extension Command {
  static let pushToken = Command(
    name: "push token", summary: "Make a provider token for APNs, or check one", operands: "",
    discussion: """
      Prints a JWT signed with ES256, to be sent as 'authorization: bearer JWT'. APNs accepts it for an hour, and refuses a
      key whose tokens change within 20 minutes: make one, and use it for 40 minutes in all processes.

      --check reads a token from a file or standard input and says whether APNs would take it now. The signature is
      verified with --auth-key only: without it, a forged token is 'unverified' like any other. The answer contains no key
      and no token.
      """,
    flags: AuthKeyReader.flags + [
      Flag("--check", "FILE", "Check the token in FILE, or '-' for standard input")
    ],
    examples: [
      "linkspan push token --auth-key AuthKey_A1B2C3D4E5.p8 --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0",
      "linkspan push token --check token.txt --auth-key AuthKey_A1B2C3D4E5.p8",
    ],
    exitStatus: "0 done, or valid, 1 APNs would refuse it, 2 could not answer, or it is unverified"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    if let file = arguments.value("--check") { return try check(file, arguments, console) }
    var signer = try AuthKeyReader.signer(arguments)
    var generator = SeededGenerator(seed: .random(in: .min ... .max))
    let token: ProviderToken
    do throws(ProviderTokenError) {
      token = try signer.token(at: CurrentTime.now, using: &generator)
    } catch {
      throw LinkspanError(error.message + ".")
    }
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("push-token")), ("token", .string(token.text)),
          ("issued_at", .string("\(token.issuedAt)")),
          ("renewable_at", .string("\(token.issuedAt.advanced(by: ProviderTokenSigner.leastAge))")),
          ("expires_at", .string("\(token.issuedAt.advanced(by: ReceivedProviderToken.greatestAge))")),
        ]))
    } else {
      console.printRaw(token.text, terminator: "\n")
    }
    return .yes
  }

  private static func check(
    _ file: String, _ arguments: Arguments, _ console: Console
  ) throws(LinkspanError) -> ExitStatus {
    var text = String(decoding: try SecretFile.bytes(file, warningOf: "token"), as: UTF8.self)
    while text.last?.isWhitespace == true { text.removeLast() }
    if text.hasPrefix("bearer ") { text.removeFirst("bearer ".count) }
    guard let token = ReceivedProviderToken(text) else {
      throw LinkspanError(
        "'\(file)' holds no provider token.",
        help:
          "A token has three parts with dots between them, 'alg' and 'kid' in its header, 'iss' and 'iat' in its claims."
      )
    }
    let key = try arguments.value("--auth-key").map(AuthKeyReader.key)
    let now = CurrentTime.now
    let verdict = token.verdict(by: key?.publicKey, at: now)
    let age = (now.milliseconds - token.issuedAt.milliseconds) / 1000
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("push-token-check")), ("verdict", .string(verdict.rawValue)),
          ("algorithm", .string(token.algorithm)), ("auth_key_id", .string(token.key)),
          ("team_id", .string(token.team)), ("issued_at", .string("\(token.issuedAt)")),
          ("age_s", .int(Int(age))), ("signature_verified", .bool(key != nil)),
        ]))
    } else {
      console.print(
        "\(verdict.rawValue): key \(token.key) of team \(token.team), issued \(token.issuedAt), \(age) s ago")
      console.print(advice(verdict))
    }
    switch verdict {
    case .valid: return .yes
    case .unverified: return .failed
    case .invalidSignature, .expired, .future: return .no
    }
  }

  private static func advice(_ verdict: ReceivedProviderToken.Verdict) -> String {
    switch verdict {
    case .valid: "APNs takes it if the key is active."
    case .unverified:
      "The signature was not verified, so anybody may have made the token: give --auth-key."
    case .invalidSignature:
      "APNs answers InvalidProviderToken: sign with ES256 and with the key that 'kid' names."
    case .expired: "APNs answers ExpiredProviderToken: sign a new one, at most every 20 minutes."
    case .future: "APNs answers InvalidProviderToken: set the clock of the machine that signs."
    }
  }
}
