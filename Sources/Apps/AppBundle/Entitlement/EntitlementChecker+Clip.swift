internal import AssociatedDomains
internal import LinkspanCore

extension EntitlementChecker {
  /// What is wrong with the values by which an app and its clip name one another, each by itself (AC3 to AC5).
  ///
  /// A source may lack what Xcode adds when it signs, and have build settings for prefixes.
  static func clip(_ entitlements: Entitlements) -> [Finding] {
    var findings = lists(entitlements)
    if let flag = entitlements.isOnDemandCapable, !flag.value {
      findings.append(
        Finding(
          rule: "entitlement.clip-on-demand", severity: .error, at: entitlements.location(of: flag),
          message: "'\(Entitlements.onDemandKey)' is false.",
          help: "No device takes the clip for one. Write <true/>, or leave the key to Xcode.", source: "AC3"))
    }
    return findings
  }

  private static func lists(_ entitlements: Entitlements) -> [Finding] {
    let lists = [
      ("clip-parent", Entitlements.parentsKey, entitlements.parents, "AC4", "the clip's app"),
      ("app-clip", Entitlements.clipsKey, entitlements.clips, "AC5", "the app's clip"),
    ]
    return lists.flatMap { rule, key, list, source, whose -> [Finding] in
      guard let list else { return [] }
      func finding(_ place: Finding.Location, _ message: String, _ help: String) -> Finding {
        Finding(
          rule: "entitlement." + rule, severity: .error, at: place, message: message, help: help,
          source: source)
      }
      let form = "It holds exactly the identifier of \(whose), prefix included."
      guard list.count == 1 else {
        let place = entitlements.location(ofKey: key)
        return [finding(place, "'\(key)' has \(list.count) identifiers; expected one.", form)]
      }
      do throws(ApplicationIdentifierProblem) {
        _ = try ApplicationIdentifier(list[0].value)
        return []
      } catch {
        if error.kind == .buildSetting { return [] }
        return [finding(entitlements.location(of: list[0]), error.message, "\(error.help) \(form)")]
      }
    }
  }
}
