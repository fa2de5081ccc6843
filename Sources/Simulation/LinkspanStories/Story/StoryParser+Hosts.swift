import AssociatedDomains
import LinkspanCore
import SimulatedDevices

/// Names of hosts in a story.
extension StoryParser {
  /// A host that a setting or a step of the story changes something about.
  struct NamedHost {
    var host: String
    /// `network`, `deploy` or `choose`.
    var key: String
    var range: Range<Int>
  }

  /// The members of an object whose keys are hosts; two spellings of one host are reported.
  mutating func hosts(
    _ node: JSONNode, _ name: String, example: String
  ) -> [(host: String, member: JSONMember)] {
    var spellings: [String: String] = [:]
    var hosts: [(host: String, member: JSONMember)] = []
    for member in context.named(node, name, example: example) ?? [] {
      guard let host = context.host(member.name, at: member.nameRange) else { continue }
      // The same spelling twice is reported by whoever reads the object.
      if let first = spellings[host], first != member.name {
        context.report(
          "repeated-key", at: member.nameRange,
          "'\(first)' and '\(member.name)' are the same host in \(name).", "Keep one of the two.")
      }
      spellings[host] = spellings[host] ?? member.name
      hosts.append((host, member))
    }
    return hosts
  }

  /// Warnings of changes to hosts that no site, app, clip or link of the story has: they have no effect, and the name is
  /// most likely misspelled.
  func warnings() -> [Finding] {
    let known = Set(sites.keys).union(entryDomains.filter { !$0.isWildcard }.map(\.host))
    return stepWarnings
      + namedHosts.filter { !isKnown($0.host) }.map { named in
        let near = Spelling.nearest(to: named.host, among: known.sorted()).map { "Did you mean '\($0)'?" }
        return Finding(
          rule: "story.unknown-host", severity: .warning, at: .init(context.source, named.range),
          message:
            "No site, app or link of the story has the host '\(named.host)', so '\(named.key)' changes nothing.",
          help: near ?? "Declare the host under 'sites', or add its entry to the 'domains' of an app.")
      }
  }

  private func isKnown(_ host: String) -> Bool {
    if sites[host] != nil || links.contains(where: { $0.contains(host) }) { return true }
    return entryDomains.contains { $0.host == host || $0.covers(host: host) }
      // One that cannot be read may be there on purpose.
      || entries.contains { $0.contains(host) }
  }

  /// The entries of every app and clip, and those that device management adds.
  private var entries: [String] {
    apps.flatMap(\.build.entries) + clips.flatMap(\.domains)
      + devices.flatMap { $0.managedEntries.values.flatMap(\.self) }
  }

  private var entryDomains: [AssociatedDomain] {
    entries.compactMap { text in
      do { return try AssociatedDomain(asDevicesRead: text) } catch { return nil }
    }
  }
}
