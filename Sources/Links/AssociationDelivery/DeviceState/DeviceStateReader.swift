internal import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCore

/// Reads what a device wrote. Takes any bytes: what is unknown is passed over, what is cut off ends the entry.
///
/// - Source: sections 11.2 and 11.3.
package struct DeviceStateReader {
  /// Our choice: a device has a few hundred entries, a log a few thousand lines that matter.
  package static let entryLimit = 20_000
  /// Our choice: the patterns of the largest file allowed (R4), written out.
  static let valueLimitBytes = 1 << 19

  private enum Section { case head, database, settings, other }

  private var state = DeviceState()
  private var section = Section.head
  private var current: DeviceAssociation?
  /// The keys the current entry has had: one that comes again begins the next entry.
  private var seen: Set<String> = []
  /// The key whose value may go on in the next line, and the value so far.
  private var open: (key: String, value: String)?
  private var settings = ""
  private var lastDomain: String?

  private init() {}

  /// - Parameter text: A listing, log lines, or both.
  package static func read(_ text: SourceText) -> DeviceState {
    var reader = DeviceStateReader()
    var number = 0
    for line in text.bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      let line = line.last == 0x0D ? line.dropLast() : line
      reader.read(String(decoding: line, as: UTF8.self), number)
    }
    reader.closeEntry()
    reader.closeSettings()
    return reader.state
  }

  private mutating func read(_ line: String, _ number: Int) {
    let text = line.drop { $0 == " " || $0 == "\t" }
    if text.isEmpty { return }
    if let banner = Self.banner(text) {
      closeEntry()
      closeSettings()
      section =
        banner == "DATABASE" ? .database : banner == "SETTINGS" ? .settings : banner == "" ? section : .other
      return
    }
    if text.utf8.count >= 20, text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") }) {
      closeEntry()
      closeSettings()
      return
    }
    if section == .settings {
      if settings.utf8.count < Self.valueLimitBytes { settings += text + "\n" } else { state.isCut = true }
      return
    }
    if let (key, value) = Self.keyed(line) {
      add(key, value, number)
    } else if var event = DeviceEvent(line, line: number) {
      closeValue()
      guard state.events.count < Self.entryLimit else {
        state.isCut = true
        return
      }
      // A refused certificate names no host: the one that was just asked is meant.
      if let domain = event.domain { lastDomain = domain } else { event.domain = lastDomain }
      state.events.append(event)
    } else if open != nil {
      if open!.value.utf8.count < Self.valueLimitBytes {
        open!.value += "\n" + text
      } else {
        state.isCut = true
      }
    }
  }

  /// The word in a line of equals signs.
  private static func banner(_ text: Substring) -> String? {
    let text = text.reversed().drop { $0 == " " }.reversed()
    guard text.count >= 20, text.prefix(4).allSatisfy({ $0 == "=" }), text.suffix(4).allSatisfy({ $0 == "=" })
    else { return nil }
    return String(text.filter { $0 != "=" && $0 != " " })
  }

  /// `Key:` at the beginning of a line, with a value behind blanks or none.
  private static func keyed(_ line: String) -> (key: String, value: String)? {
    guard let first = line.utf8.first, (0x41...0x5A).contains(first) else { return nil }
    let name = line.utf8.prefix(32).prefix {
      ASCII.isLetter($0) || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "/")
    }
    let rest = line.utf8[name.endIndex...]
    guard rest.first == UInt8(ascii: ":"), rest.dropFirst().first ?? 0x20 == 0x20, !name.isEmpty else {
      return nil
    }
    var value = Substring(rest.dropFirst()).drop { $0 == " " }
    while value.last == " " { value.removeLast() }
    return (String(Substring(name)), String(value))
  }

  // MARK: - Entries

  private mutating func add(_ key: String, _ value: String, _ number: Int) {
    guard section != .other, section == .database || current != nil || Self.names.contains(key) else {
      return
    }
    closeValue()
    if seen.contains(key) { closeEntry() }
    guard state.associations.count < Self.entryLimit else {
      state.isCut = true
      return
    }
    if current == nil { current = DeviceAssociation(line: number) }
    seen.insert(key)
    open = (key, value)
  }

  /// The keys with which an entry may begin where no banner says that entries follow.
  private static let names: Set<String> = ["Service", "App ID", "Domain"]

  private mutating func closeValue() {
    guard let (key, value) = open else { return }
    open = nil
    current?.set(key, value)
  }

  private mutating func closeEntry() {
    closeValue()
    // An entry without any of its three names says nothing of anybody.
    if let entry = current, !(entry.service + entry.app + entry.domain).isEmpty {
      state.associations.append(entry)
    }
    current = nil
    seen = []
  }

  // MARK: - Settings

  /// `{ s = applinks, a = APPID, d = (null) }: { "com.apple.LaunchServices.enabled" = 1; }`
  private mutating func closeSettings() {
    for piece in settings.split(separator: "{ s = ", omittingEmptySubsequences: false).dropFirst() {
      guard state.settings.count < Self.entryLimit else {
        state.isCut = true
        break
      }
      let subject = piece.prefix { $0 != "}" }.split(separator: ",").map { part in
        part.split(separator: "=").last.map { ASCII.trimmed($0) } ?? ""
      }
      guard subject.count >= 3 else { continue }
      var isEnabled: Bool?
      if let place = piece.firstRange(of: "com.apple.LaunchServices.enabled") {
        let value = piece[place.upperBound...].drop { "\"= ".contains($0) }.prefix { $0 != ";" }
        isEnabled = ASCII.trimmed(value) == "1" ? true : ASCII.trimmed(value) == "0" ? false : nil
      }
      state.settings.append(
        DeviceSetting(
          service: subject[0], app: subject[1],
          domain: subject[2] == "(null)" ? nil : ASCII.lowercased(subject[2]), isEnabled: isEnabled))
    }
    settings = ""
  }
}

extension DeviceAssociation {
  fileprivate mutating func set(_ key: String, _ value: String) {
    switch key {
    case "Service": service = ASCII.lowercased(value)
    case "App ID": app = value
    case "App Version": appVersion = value
    case "App PI": break
    case "Domain":
      let parts = value.split(separator: "?mode=", maxSplits: 1).map(String.init)
      domain = ASCII.lowercased(parts.first ?? "")
      mode = parts.count > 1 ? parts[1] : nil
    case "Patterns": patternCount = JSONParser.parse(Array("[\(value)]".utf8)).patternCount
    case "User Approval": userApproval = Approval(value)
    case "Site/Fmwk Approval": siteApproval = Approval(value)
    case "Flags": flags = value.split { $0 == " " || $0 == "," }.map(String.init)
    case "Last Checked": lastChecked = value.isEmpty ? nil : DeviceTime(value)
    case "Next Check": nextCheck = value.isEmpty ? nil : DeviceTime(value)
    case "Error": error = value.isEmpty || value == "(null)" ? nil : DeviceError(value)
    case "Retries": retries = Int(value)
    default: others.append(key)
    }
  }
}

extension JSONDocument {
  fileprivate var patternCount: Int? { isWellFormed ? root?.array?.count : nil }
}
