import AppSiteAssociation
package import LinkspanCore

extension SimulationResult {
  /// What each link does on the devices, for people: devices with the same verdict share a line.
  ///
  ///     https://example.com/shop/1
  ///       browser  iphone-12.4
  ///                iOS 12.4 wants "apps": [] inside "applinks", and it is absent [section 7]
  ///                -> Add "apps": [] inside "applinks", …
  ///       shop     iphone-17.4, iphone-26.0
  ///                entry 0, rule 1 covers it: {"/":"/shop/*"} [section 7, E9]
  package func table(style: TextStyle = .plain) -> String {
    let width = rows.map { ($0.appName ?? "browser").count }.max() ?? 0
    let indent = String(repeating: " ", count: width + 4)
    var text = ""
    var rest = rows[...]
    while let link = rest.first?.link {
      let ofLink = rest.prefix { $0.link == link }
      rest = rest.dropFirst(ofLink.count)
      text += style.bold(link) + "\n"
      for group in Self.groups(Array(ofLink)) {
        let row = group[0]
        let name = row.appName ?? "browser"
        let padding = String(repeating: " ", count: width - name.count)
        let devices = group.map(\.device.name).joined(separator: ", ")
        text += "  " + style.paint(name, row.appName == nil ? .yellow : .green) + padding + "  \(devices)\n"
        text += "\(indent)\(row.verdict.reason) [\(row.verdict.rules.joined(separator: ", "))"
        text += row.verdict.certainty == .documented ? "]\n" : "; \(row.verdict.certainty.rawValue)]\n"
        if let change = row.verdict.change { text += "\(indent)-> \(change)\n" }
      }
    }
    return text
  }

  /// Devices with the same verdict, in the order of the first of each.
  private static func groups(_ rows: [Row]) -> [[Row]] {
    var groups: [[Row]] = []
    for row in rows {
      let place = groups.firstIndex {
        let other = $0[0]
        return other.verdict == row.verdict && other.way == row.way && other.appName == row.appName
      }
      if let place { groups[place].append(row) } else { groups.append([row]) }
    }
    return groups
  }
}
