import AppSiteAssociation
internal import AssociationDelivery

extension HostFacts {
  /// What is out of the ordinary, in a few words for a trace.
  package var words: String {
    var words: [String] = []
    if isUnresolvable { words.append("unresolvable") }
    if let privateAddress { words.append("at \(privateAddress)") }
    if drops != .nobody { words.append("drops \(drops.rawValue)") }
    if forbids != .nobody { words.append("forbids \(forbids.rawValue)") }
    if let regions { words.append("answers \(regions.joined(separator: " ")), \(elsewhere.rawValue) others") }
    if isDown { words.append("down") }
    if let certificate { words.append("certificate \(certificate.words)") }
    if latency_ms != HostFacts().latency_ms {
      words.append("latency \(latency_ms.lowerBound)-\(latency_ms.upperBound) ms")
    }
    return words.isEmpty ? "healthy" : words.joined(separator: ", ")
  }
}

extension HostFacts.Filter {
  /// Whom it keeps out, as the object of a sentence.
  package var words: String {
    switch self {
    case .nobody: "no client"
    case .crawler: "Apple's crawler"
    case .devices: "devices"
    case .everybody: "everybody"
    }
  }
}
