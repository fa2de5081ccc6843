package import LinkspanCore

/// What else was asked of a campaign besides its audience, in words, for the command and the console alike.
package struct CampaignWords: Sendable {
  package let name: String
  package let text: String
  /// As a part of a line: "quiet hours 22:00 to 08:00".
  package let sentence: String

  private init(_ name: String, _ text: String, _ sentence: String? = nil) {
    self.name = name
    self.text = text
    self.sentence = sentence ?? "\(name.lowercased()) \(text)"
  }

  /// - Parameter campaign: As the API tells of it.
  package static func all(of campaign: JSONNode) -> [CampaignWords] {
    var all: [CampaignWords] = []
    func add(_ name: String, _ text: String?, _ sentence: String? = nil) {
      if let text { all.append(CampaignWords(name, text.onOneLine, sentence)) }
    }
    let (hours, cap, holdout) = (campaign["quiet_hours"], campaign["cap"], campaign["holdout"])
    let languages = (campaign["languages"]?.array ?? []).compactMap(\.string)
    add("Repeats", campaign["repeat"]?.string.map { "\($0), occurrence \(campaign["occurrence"]?.int ?? 1)" })
    add("Quiet hours", hours?["from"]?.string.map { "\($0) to \(hours?["to"]?.string ?? "")" })
    add("At most", cap?["count"]?.int.map { "\($0) to a person in \(cap?["per_s"]?.int ?? 0) s" })
    add("Holdout", holdout.flatMap { $0.typeName == "null" ? nil : $0.json.text })
    add("Languages", languages.isEmpty ? nil : "default, " + languages.joined(separator: ", "))
    add("Template", campaign["template"]?.bool == true ? "yes" : nil, "template")
    return all
  }
}
