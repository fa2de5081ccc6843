internal import AppBundle
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import SiteInput

extension Command {
  package static let inspect = Command(
    name: "inspect", summary: "What a built app claims: entitlements, domains, signature, clips, sizes",
    operands: "PATH",
    discussion: """
      PATH is an .ipa, an .app, an .xcarchive, a Mach-O file, or an entitlements file by itself. Reads what is really in
      it: the Info.plist, the entitlements of the signature (in both of their forms), linked libraries, architectures, and
      every clip, extension and framework inside. The domains that app and clips claim are checked as 'linkspan check'
      does. App Clips are checked against their rules ('linkspan rules clip.identifier' and others named clip.…).

      Of a provisioning profile, the signature over its content is verified with the certificate in it; whether that
      certificate is Apple's is checked only against the authorities that '--ca' names. The profile has to be for the
      signature's application identifier, and must not have expired. The program's code signature is not verified.

      Archives are not unpacked to disk. Encrypted or damaged ones, and those with links, paths that lead out,
      duplicate or overlapping entries, or contents out of all proportion are refused. In a folder links are not followed,
      and a warning names each.
      """,
    flags: [
      Flag("--ca", "FILE", "Trust only the authorities in this PEM file for provisioning profiles")
    ],
    examples: [
      "linkspan inspect App.ipa", "linkspan inspect --json build/App.app",
      "linkspan inspect App.ipa --ca AppleRootCA.pem", "linkspan inspect App.entitlements",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let path = arguments.operands[0]
    var authorities: TrustedAuthorities?
    if let file = arguments.value("--ca") {
      let bytes = try FileReader.bytes(file)
      authorities = TrustedAuthorities(pem: bytes)
      if authorities == nil { throw LinkspanError.noCertificate(in: file, bytes) }
    }
    var document: BundleDocument
    switch try BundleInput.open(path) {
    case .tree(let index):
      document = try LinkspanError.of(bundle: BundleReader(index).read())
      document.verifyProfiles(trusting: authorities, at: CurrentTime.now)
      document.judged = ClipChecker(document, index).check() + document.claimFindings
    case .program(let file):
      document = try LinkspanError.of(bundle: BundleDocument(program: file, name: path))
      document.judged = document.claimFindings
    case .other(let file):
      document = try entitlements(in: file, path)
      document.judged = document.claimFindings
    }
    if arguments.has("--json") {
      console.print(document.json)
    } else {
      InspectText(document).print(on: console)
    }
    return document.findings.count(of: .error) > 0 ? .no : .yes
  }
}

/// A property list of entitlements, which claims what the app that is built with it will.
private func entitlements(in file: LocalFile, _ path: String) throws(LinkspanError) -> BundleDocument {
  let limit = PropertyListLimits().sizeBytes
  let bytes = try LinkspanError.of(bundle: file.bytes(0..<min(file.count, limit + 1)))
  guard AppFile.isOne(bytes) else {
    throw LinkspanError(
      "'\(path)' is neither a bundle nor a program, nor entitlements.",
      help: "Name an .ipa, .app, .xcarchive, Mach-O or .entitlements file.")
  }
  do throws(PropertyListError) {
    if case .entitlements = try AppFile(bytes, name: path) {
      return try BundleDocument(entitlements: bytes, name: path)
    }
  } catch {
    throw LinkspanError(error)
  }
  throw LinkspanError(
    "'\(path)' is \(AppFile.kind(of: bytes, name: path) ?? "another property list"), and only entitlements are "
      + "inspected by themselves.",
    help: "Name the .ipa, .app, .xcarchive or Mach-O file. "
      + "'linkspan check --app \(ShellWord.quoted(path))' reads it beside entitlements.")
}

/// The answer for people.
private struct InspectText {
  private let document: BundleDocument

  init(_ document: BundleDocument) { self.document = document }

  func print(on console: Console) {
    show(document.main, heading: "\(document.name): \(document.kind.rawValue)", indent: "", on: console)
    for finding in document.findings { console.print(finding.text(style: console.style)) }
  }

  private func show(_ bundle: BundleInspection, heading: String, indent: String, on console: Console) {
    console.print("\(indent)\(console.style.bold(heading))")
    for (name, value) in rows(bundle) {
      console.print("\(indent)  \(name.padded(to: 16))  \(value)")
    }
    for embedded in bundle.clips + bundle.extensions + bundle.watchApps {
      show(
        embedded, heading: "\(embedded.kind.rawValue) \(embedded.path)", indent: indent + "  ", on: console)
    }
    if !bundle.frameworks.isEmpty {
      console.print("\(indent)  \("frameworks".padded(to: 16))  \(bundle.frameworks.count)")
    }
    for framework in bundle.frameworks {
      let architectures = (framework.program?.slices ?? []).map(\.architecture.description)
      console.print(
        "\(indent)    \(framework.path), \(ThinningSizeText.words(framework.sizeBytes)), "
          + architectures.joined(separator: " "))
    }
  }

  private func rows(_ bundle: BundleInspection) -> [(String, String)] {
    var rows: [(String, String)] = []
    func add(_ name: String, _ value: String?) {
      if let value, !value.isEmpty { rows.append((name, value.withoutUserInformationOfLinks)) }
    }
    add("identifier", bundle.bundleIdentifier)
    let version = bundle.infoPlist?.version?.value
    let build = bundle.infoPlist?.build?.value
    add("version", [version, build.map { "(\($0))" }].compactMap(\.self).joined(separator: " "))
    add("minimum OS", bundle.minimumOS)
    if let program = bundle.program {
      add("architectures", program.slices.map(\.architecture.description).joined(separator: " "))
    }
    if let signature = bundle.signature {
      let flags = signature.flags.names
      add("signed as", signature.identifier)
      add("team", bundle.teamIdentifier ?? "none")
      add("flags", flags.isEmpty ? "none" : flags.joined(separator: " "))
    }
    add("profile", bundle.profile.map { $0.title ?? $0.uuid ?? "without a name" })
    add("profile is", bundle.profileSignature?.text)
    add("domains", bundle.associatedDomains.joined(separator: " "))
    add("activities", (bundle.infoPlist?.userActivityTypes ?? []).map(\.value).joined(separator: " "))
    add("URL schemes", (bundle.infoPlist?.urlSchemes ?? []).map(\.value).joined(separator: " "))
    for member in bundle.entitlements?.dictionary ?? [] {
      add("entitlement", "\(member.key) = \(member.value.json.text)")
    }
    for library in bundle.program?.mainSlice.libraries ?? [] {
      add("links", library.name + (library.isWeak ? " (weak)" : ""))
    }
    add("size", "\(ThinningSizeText.words(bundle.sizeBytes)) in \(bundle.fileCount.counted("file"))")
    return rows
  }
}
