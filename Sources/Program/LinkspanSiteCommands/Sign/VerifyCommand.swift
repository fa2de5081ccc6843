package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import LinkspanServer

extension Command {
  package static let verify = Command(
    name: "verify", summary: "Verify a signed association file", operands: "SIGNED",
    discussion: """
      Verifies CMS SignedData with its content inside, as 'linkspan sign' and 'openssl smime -sign' make it:
      the signature, with and without signed attributes; the chain up to a trusted authority; the times of its
      certificates; their purpose. Every problem has a name. Revocation is not checked.

      'linkspan check' checks the content; it reads signed files too.
      """,
    flags: [
      Flag("--ca", "FILE", "Trust the authorities in this PEM file, and no others (those of the system)"),
      Flag(
        "--at", "TIME", "The time at which the certificates must be valid, such as 2026-09-14T08:00:00Z (now)"
      ),
      Flag(
        "--output", short: "-o", "OUT",
        "Write the content here if the signature is valid; '-' is standard output"),
      .force,
    ],
    examples: [
      "linkspan verify signed", "linkspan verify signed --ca root.pem --at 2026-09-14T08:00:00Z",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let file = arguments.operands[0]
    let place = try arguments.output("--output", .common)
    let moment = try VerifyRun.moment(arguments)
    let authorities = try VerifyRun.authorities(arguments)
    let bytes = try FileReader.bytes(file)
    let report = SignatureReport(
      bytes, trusting: authorities, at: moment, purposes: SignedSite.purposes)
    let output = report.isGood ? place : nil
    if let output, let content = report.content { try output.write(content, console) }
    let run = VerifyRun(file: file, output: output?.name, moment: moment, report: report)
    if arguments.has("--json") { console.print(run.json) } else { run.show(on: console) }
    return run.report.isGood ? .yes : .no
  }
}

private struct VerifyRun {
  let file: String
  /// Where the content was written, or nil.
  let output: String?
  let moment: WallTime
  let report: SignatureReport

  private static let notChecked = ["revocation: no authority was asked whether it took a certificate back"]

  static func moment(_ arguments: Arguments) throws(LinkspanError) -> WallTime {
    guard let text = arguments.value("--at") else { return CurrentTime.now }
    guard let moment = WallTime(text) else {
      throw arguments.usage("'--at': expected a time such as 2026-09-14T08:00:00Z, got '\(text)'")
    }
    return moment
  }

  static func authorities(_ arguments: Arguments) throws(LinkspanError) -> TrustedAuthorities {
    guard let file = arguments.value("--ca") else {
      guard let system = TrustedAuthorities.system() else {
        throw LinkspanError(
          "the system has no certificate authorities.",
          help: "Install ca-certificates, or name some with --ca.")
      }
      return system
    }
    let bytes = try FileReader.bytes(file)
    guard let authorities = TrustedAuthorities(pem: bytes) else {
      throw LinkspanError.noCertificate(in: file, bytes)
    }
    return authorities
  }

  func show(on console: Console) {
    let style = console.style
    let verdict = report.isGood ? "good" : style.paint("refused", .red)
    console.print("\(file): \(verdict)")
    for problem in report.problems {
      console.print("  \(problem.name): \(problem.message)\n    \(problem.help)")
    }
    if let content = report.content, let digest = report.digest, let key = report.key {
      let attributes = report.hasSignedAttributes == true ? ", over signed attributes" : ""
      console.print("  content: \(content.count) bytes, \(key) with \(digest)\(attributes)")
    }
    if let signer = report.signer {
      console.print("  signer: \(signer.subject), by \(signer.issuer)")
      console.print("    \(signer.keyText), from \(signer.begins) to \(signer.ends)")
    }
    for note in notes { console.print("  note: \(note)") }
    console.print("Not checked:")
    for item in Self.notChecked { console.print("  - \(item)") }
  }

  var json: JSON {
    .object([
      ("type", .string("verify")), ("file", .string(file)), ("good", .bool(report.isGood)),
      (
        "problems",
        .array(
          report.problems.map {
            .object([
              ("problem", .string($0.name)), ("message", .string($0.message)), ("help", .string($0.help)),
            ])
          })
      ),
      ("signer", report.signer?.json ?? .null), ("certificates", .array(report.others.map(\.json))),
      ("key_algorithm", .init(report.key)), ("digest", .init(report.digest)),
      ("signed_attributes", report.hasSignedAttributes.map(JSON.bool) ?? .null),
      ("content_bytes", .init(report.content?.count)), ("output", .init(output)),
      ("verified_at", .string("\(moment)")),
      ("notes", .array(notes.map(JSON.string))), ("not_checked", .array(Self.notChecked.map(JSON.string))),
    ])
  }

  /// What a person may wonder about in the content.
  private var notes: [String] {
    guard let content = report.content else { return [] }
    var notes: [String] = []
    if content.starts(with: "Content-Type:".utf8) {
      notes.append(
        "the content begins with a MIME header, as openssl smime writes it with -text; no device reads that")
    }
    if zip(content, content.dropFirst()).contains(where: { $0 == 0x0D && $1 == 0x0A }) {
      notes.append(
        "the content has CRLF line ends, as openssl smime makes them without -binary; JSON allows them")
    }
    return notes
  }
}
