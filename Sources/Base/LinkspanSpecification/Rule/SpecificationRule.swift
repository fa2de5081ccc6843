package import LinkspanCore

/// One numbered rule about links, Handoff, App Clips or pushes: the facts that answers cite by number.
package struct SpecificationRule: Hashable, Sendable {
  /// As answers cite it: `E13`, `section 10 row 6`, `push 7.4`.
  package let identifier: String
  /// What holds.
  package let sentence: String
  /// Where it comes from.
  package let source: String
  package let certainty: Certainty

  /// Every rule, by subject.
  package static let all =
    table(entitlement) + table(delivery) + table(file) + table(matching) + table(bundle) + table(sections)
    + table(clip) + table(push) + table(handoff) + table(lifeCycle) + table(source)

  /// The rule of an identifier, whatever the case of its letters; a section may go without its word.
  package static func named(_ identifier: String) -> SpecificationRule? {
    let name = ASCII.lowercased(identifier)
    return byName[name] ?? byName["section " + name]
  }

  private static let byName = Dictionary(
    all.map { (ASCII.lowercased($0.identifier), $0) }, uniquingKeysWith: { first, _ in first })

  /// Reads lines of the form `identifier | certainty | sources | sentence`; a source is a key or words.
  private static func table(_ text: String) -> [SpecificationRule] {
    text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
      let cells = line.split(separator: UInt8(ascii: "|"), maxSplits: 3).map { trimmed(Substring($0)) }
      precondition(cells.count == 4, "a rule has four cells: \(Substring(line))")
      guard let certainty = Certainty(rawValue: cells[1]) else {
        preconditionFailure("'\(cells[1])' is no certainty")
      }
      let source = cells[2].split(separator: ",").map { word in
        let key = String(word.drop { $0 == " " })
        return sources[key] ?? key
      }
      return SpecificationRule(
        identifier: cells[0], sentence: cells[3], source: source.joined(separator: "; "), certainty: certainty
      )
    }
  }

  /// Without the blanks around it. Of one type, unlike `ASCII.trimmed`: many commands read the whole catalogue at a start.
  private static func trimmed(_ cell: Substring) -> String {
    let (bytes, blank) = (cell.utf8, UInt8(ascii: " "))
    var (start, end) = (bytes.startIndex, bytes.endIndex)
    while start < end, bytes[start] == blank { start = bytes.index(after: start) }
    while start < end, bytes[bytes.index(before: end)] == blank { end = bytes.index(before: end) }
    return String(cell[start..<end])
  }

  private static let sources = [
    "A1": "Apple: Supporting associated domains", "A2": "Apple: Associated Domains Entitlement",
    "A3": "Apple: applinks", "A4": "Apple: applinks.Details", "A5": "Apple: applinks.Details.Components",
    "A6": "Apple: applinks.Details.Components.Query", "A7": "Apple: applinks.Defaults",
    "A8": "Apple: applinks.SubstitutionVariables", "A9": "Apple: TN3155, Debugging universal links",
    "A10": "Apple: Allowing apps and websites to link to your content",
    "A12": "Apple: device management, payload com.apple.associated-domains",
    "A13": "Apple: App Search Programming Guide (archived)", "A14": "Apple: WWDC19 session 717",
    "A15": "Apple: WWDC20 session 10098", "A16": "Apple: Shared Web Credentials Reference (archived)",
    "A17": "Apple: Adopting Handoff (archived)", "A18": "Apple: guidance on App Clip associations",
    "A19": "Apple: Requirements for trusted certificates in iOS 13 and macOS 10.15",
    "DTS": "Apple's engineers in the developer forums", "SW": "published runs of swcutil on macOS 27",
    "UL": "a public test suite that runs swcutil", "CDN": "published answers of Apple's CDN",
    "SHOW": "published swcutil_show.txt files", "REP": "reports of developers",
    "G1": "Google: Digital Asset Links, statements", "G3": "Google: Digital Asset Links, well-known details",
    "G4": "Google: Configure website associations", "G5": "Google: App Links FAQ",
    "AC-X": "Apple: Creating an App Clip with Xcode", "AC-E": "Apple: entitlements of App Clips",
    "AC-W": "Apple: Associating your App Clip with your website",
    "AC-L": "Apple: Offering Live Activities with your App Clip", "AC-I": "Apple: NSAppClip",
    "AC-F": "Apple: Choosing the right functionality for your App Clip",
    "AC-C": "Apple: Configuring App Clip experiences", "AC-S": "Apple: App Store Connect API",
    "AC-B": "Apple: Supporting invocations from your website and the Messages app",
    "AC-T": "Apple: Testing the launch experience of your App Clip",
    "AC-R": "Apple: Responding to invocations", "AC-G": "Apple: Creating App Clip Codes",
    "AC-D": "Apple: Sharing data between your App Clip and your full app",
    "AC-N": "NFC Forum: NDEF and the URI record type",
    "AC-A": "Apple: Adding support for background tag reading",
    "H-ACT": "Apple: NSUserActivity", "H-GUIDE": "Apple: Handoff Programming Guide (archived)",
    "H-ERR": "Apple: NSUserActivityErrorMinimum", "H-TYPES": "Apple: NSUserActivityTypes",
    "H-DEL": "Apple: UIApplicationDelegate", "H-WEB": "Apple: NSUserActivityTypeBrowsingWeb",
    "P-SEND": "Apple: Sending notification requests to APNs",
    "P-ANS": "Apple: Handling notification responses from APNs",
    "P-PAY": "Apple: Generating a remote notification",
    "P-BACK": "Apple: Pushing background updates to your App",
    "P-REG": "Apple: Registering your app with APNs",
    "P-STAT": "Apple: Viewing the status of push notifications using Metrics and APNs",
    "P-HAND": "Apple: application(_:didReceiveRemoteNotification:fetchCompletionHandler:)",
    "P-STRAT": "Apple: Choosing background strategies for your app",
    "L-UL": "Apple: Supporting universal links in your app", "L-SC": "Apple: UISceneDelegate",
    "L-CYC": "Apple: Managing your app's life cycle",
    "L-BACK": "Apple: Preparing your UI to run in the background", "QA1838": "Apple: Technical Q&A QA1838",
    "L-OBS": "Apple: NotificationCenter, removeObserver(_:)", "L-EQ": "Apple: NSObjectProtocol, isEqual(_:)",
    "L-COL": "Apple: NSMutableDictionary, setObject(_:forKey:)", "QA1480": "Apple: Technical Q&A QA1480",
    "OWN": "the project's conclusion",
  ]
}
