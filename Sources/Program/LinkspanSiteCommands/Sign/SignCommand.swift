internal import AppSiteAssociation
import AssociationCheck
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import LinkspanServer
internal import SiteInput

extension Command {
  package static let sign = Command(
    name: "sign", summary: "Sign an association file for devices on iOS 8", operands: "FILE",
    discussion: """
      Only iOS 8 needs a signed file; later releases take plain JSON, and Apple calls signing obsolete. The
      output is that of 'openssl smime -sign -binary -nodetach -noattr -outform DER': CMS SignedData in DER form with
      the file inside, SHA-256, and the signer's certificate with its chain. Serve it as application/pkcs7-mime.

      The file is checked first; a file with errors is signed only with --accept-errors. If a passphrase is needed and
      no flag provides it, the terminal asks for it. OUT is written completely or not at all.
      """,
    flags: IdentityReader.flags + [
      Flag("--output", short: "-o", "OUT", "Write the signed file here; '-' is standard output"),
      Flag("--host", "HOST", "The host the certificate should name (the one in FILE's path, if any)"),
      Flag("--accept-errors", "Sign a file with errors"),
      .force,
    ],
    examples: [
      "linkspan sign apple-app-site-association --p12 example.com.p12 -o signed",
      "linkspan sign FILE --cert example.com.pem --key example.com.key --chain intermediate.pem -o signed",
    ]
  ) { arguments, console throws(LinkspanError) in
    try SignRun(arguments).run(console, isJSON: arguments.has("--json"))
  }
}

private struct SignRun {
  private let file: String
  private let output: OutputPlace
  private let host: String?
  private let acceptsErrors: Bool
  private let content: [UInt8]
  private let findings: [Finding]
  private let identity: SigningIdentity
  private let secretWarnings: [String]

  /// A signature has no room for a mark; around an association file only signing puts one.
  private static let signedFile = OutputKind.form("a signed association file") { bytes in
    AssociationContent(bytes).format == .signed && AssociationContent(bytes).file != nil
  }

  init(_ arguments: Arguments) throws(LinkspanError) {
    try arguments.expectOperands(1...1)
    file = arguments.operands[0]
    if file != "-", let name = arguments.value("--output"), let resolved = FileReader.resolved(file),
      FileReader.resolved(name) == resolved
    {
      throw arguments.usage("'\(name)' is the input file, which is never overwritten")
    }
    guard let output = try arguments.output("--output", Self.signedFile) else {
      throw arguments.usage("'--output' is missing")
    }
    self.output = output
    host = arguments.value("--host").map(IDNA.named) ?? SiteFolder.host(ofFile: file)
    acceptsErrors = arguments.has("--accept-errors")
    let source = try FileReader.read(file)
    content = source.bytes
    guard AssociationContent(content).isPlain else {
      throw LinkspanError(
        "'\(file)' is signed already.",
        help: "'linkspan verify' with --output takes the plain file out of it, and that one can be signed.")
    }
    findings = AssociationChecker.findings(in: AssociationSource(source)).inReadingOrder()
    (identity, secretWarnings) = try IdentityReader.read(arguments)
  }

  func run(_ console: Console, isJSON: Bool) throws(LinkspanError) -> ExitStatus {
    let now = CurrentTime.now
    if !isJSON { for finding in findings { console.note(finding.text()) } }
    if findings.count(of: .error) > 0, !acceptsErrors {
      let reason = "the file has errors, and devices may not take it; --accept-errors signs it anyway"
      return refuse(reason, console, isJSON)
    }
    let signed: SignedSite
    do throws(SignedSite.Refusal) {
      signed = try SignedSite(host: host, file: content, identity: identity, at: now)
    } catch {
      switch error {
      case .certificate(let problem): return refuse("\(problem.message) \(problem.help)", console, isJSON)
      case .identity(let error):
        throw LinkspanError("'\(file)' cannot be signed: \(error.message).", help: error.help)
      }
    }
    try output.write(signed.bytes, console)
    let warnings = signed.warnings(at: now).map(\.message) + secretWarnings
    if isJSON {
      console.print(json(signed, warnings: warnings, refused: nil))
    } else {
      for warning in warnings { console.note("warning: \(warning)") }
      console.print("\(output.name): \(signed.bytes.count) bytes, signed by \(identity.certificate.subject)")
      console.print("  good until \(signed.ends); serve it as application/pkcs7-mime")
    }
    return .yes
  }

  private func refuse(_ reason: String, _ console: Console, _ isJSON: Bool) -> ExitStatus {
    if isJSON {
      console.print(json(nil, warnings: [], refused: reason))
    } else {
      console.note("not signed: \(reason)")
    }
    return .no
  }

  private func json(_ signed: SignedSite?, warnings: [String], refused: String?) -> JSON {
    .object([
      ("type", .string("sign")), ("file", .string(file)), ("content_bytes", .int(content.count)),
      ("output", .init(signed == nil ? nil : output.name)), ("output_bytes", .init(signed?.bytes.count)),
      ("refused", .init(refused)), ("signer", identity.certificate.json),
      ("chain", .array(identity.chain.map(\.json))), ("digest", .string("SHA-256")),
      ("good_until", .init(signed.map { "\($0.ends)" })), ("warnings", .array(warnings.map(JSON.string))),
      ("findings", .array(findings.map(\.json))), ("summary", findings.summaryJSON),
    ])
  }
}

extension AssociationContent {
  /// Whether nothing of a signature is around the file.
  fileprivate var isPlain: Bool { format == .json }
}
