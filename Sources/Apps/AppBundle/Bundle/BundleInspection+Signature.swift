internal import LinkspanCore

extension BundleInspection {
  /// Reads the entitlements of the signature, both forms, and compares them.
  mutating func takeEntitlements(file: String) {
    guard let slice = program?.mainSlice else { return }
    if let problem = slice.signatureProblem { findings.append(problem.finding) }
    guard let signature = slice.signature else { return }
    var list: PropertyListNode?
    var der: PropertyListNode?
    if let bytes = signature.entitlements, !bytes.isEmpty {
      do throws(PropertyListError) {
        // Files that were signed with blanks before the XML declaration run on every device, so they are skipped.
        let text = Array(bytes.drop(while: ASCII.isSpace))
        let document = try PropertyListDocument(text, name: file)
        try document.requireDictionary(purpose: "The entitlements of a signature")
        list = document.root
        findings += document.findings
        signedEntitlements = try Entitlements(document)
      } catch {
        findings.append(error.finding)
      }
    }
    if let bytes = signature.derEntitlements {
      do throws(BundleError) {
        der = try EntitlementsDER.node(bytes, file: file)
      } catch {
        findings.append(error.finding)
      }
    }
    entitlements = list ?? der
    if (signature.entitlements ?? []).isEmpty, der != nil || signature.derEntitlements == nil {
      takeSignedEntitlements(der ?? PropertyListNode(.dictionary([]), at: 0..<0), file: file)
    }
    let place = Finding.Location(file: file)
    if let list, let der {
      let keys = Self.differingKeys(list, der)
      if !keys.isEmpty {
        findings.append(
          Finding(
            rule: "signature.entitlements-disagree", severity: .error, at: place,
            message:
              "The two forms of the entitlements differ in \(keys.map { "'\($0)'" }.joined(separator: ", ")).",
            help: "iOS reads the DER form since 15 and the property list before. Sign the app again."))
      }
    } else if list?.dictionary?.isEmpty == false, der == nil, slice.platform == 2,
      signature.derEntitlements == nil
    {
      findings.append(
        Finding(
          rule: "signature.no-der-entitlements", severity: .warning, at: place,
          message: "The signature has no entitlements in DER form.",
          help:
            "iOS 15 and later take them from there, so the app would have none. Sign it with a current tool.")
      )
    }
  }

  /// Entitlements that are there in DER form only, or not at all, as a property list.
  private mutating func takeSignedEntitlements(_ node: PropertyListNode, file: String) {
    do throws(PropertyListError) {
      signedEntitlements = try Entitlements(node.xml, name: file)
    } catch {
      findings.append(error.finding)
    }
  }

  private static func differingKeys(_ left: PropertyListNode, _ right: PropertyListNode) -> [String] {
    let keys = Set((left.dictionary ?? []).map(\.key) + (right.dictionary ?? []).map(\.key)).sorted()
    return keys.filter { key in
      guard let one = left[key], let other = right[key] else { return true }
      return !one.means(other)
    }
  }

  /// What a signature says against the bundle it is in, and its slices against one another.
  mutating func checkSignature(file: String) {
    guard let program, kind != .framework else { return }
    let place = Finding.Location(file: file)
    func add(_ rule: String, _ severity: Finding.Severity, _ message: String, _ help: String) {
      findings.append(Finding(rule: rule, severity: severity, at: place, message: message, help: help))
    }
    let slice = program.mainSlice
    guard let signature = slice.signature else {
      if slice.signatureProblem == nil {
        add(
          "signature.missing", .warning, "The program is not signed.",
          "A device runs no such app, and it has no entitlements. Sign it, or inspect the exported .ipa.")
      }
      return
    }
    for contradiction in signature.contradictions {
      add(
        "signature.directories-disagree", .warning,
        "The code directories of the signature name \(contradiction).",
        "Which one counts depends on the release of iOS. Sign the app again.")
    }
    if let identifier = infoPlist?.bundleIdentifier?.value, identifier != signature.identifier {
      add(
        "signature.identifier-mismatch", .warning,
        "The bundle is '\(identifier)', but its signature is for '\(signature.identifier)'.",
        "Sign the app again after its Info.plist was changed.")
    }
    let differs = program.slices.contains { other in
      other.signature?.identifier != signature.identifier
        || other.signature?.teamIdentifier != signature.teamIdentifier
        || other.signature?.entitlements != signature.entitlements
    }
    if differs {
      add(
        "signature.slices-disagree", .warning, "The architectures of the program are signed differently.",
        "What holds depends on the device. Sign all slices at once.")
    }
  }
}

extension PropertyListNode {
  /// Whether two values are the same, whatever form they were read from; the order of keys means nothing.
  func means(_ other: PropertyListNode) -> Bool {
    switch (value, other.value) {
    case (.string(let left), .string(let right)): return left == right
    case (.integer(let left), .integer(let right)): return left == right
    case (.unsigned(let left), .unsigned(let right)): return left == right
    case (.real(let left), .real(let right)): return left == right
    case (.bool(let left), .bool(let right)): return left == right
    case (.date(let left), .date(let right)): return left == right
    case (.data(let left), .data(let right)): return left == right
    case (.uid(let left), .uid(let right)): return left == right
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
    case (.dictionary(let left), .dictionary(let right)):
      return left.count == right.count
        && left.allSatisfy { member in other[member.key].map { member.value.means($0) } ?? false }
    default: return false
    }
  }
}
