internal import LinkspanCore
package import PushProvider
internal import PushTerms

/// Which topics a sender takes: a key is for some, and APNs refuses it for the others.
package enum TopicChoice: Hashable, Sendable {
  case all
  case only([PushTopic])
  case except([PushTopic])

  /// Those of some topics that it takes.
  func chosen(of topics: [String]) -> [String] {
    switch self {
    case .all: return topics
    case .only(let own):
      let own = Set(own.map(\.text))
      return topics.filter(own.contains)
    case .except(let others):
      let others = Set(others.map(\.text))
      return topics.filter { !others.contains($0) && PushTopic($0) != nil }
    }
  }

  /// Whether it takes a topic.
  package func takes(_ topic: String) -> Bool { self == .all || !chosen(of: [topic]).isEmpty }

  /// A condition on a column `topic`, after `AND`; empty for all. A topic has no character that SQL reads (``PushTopic``).
  var condition: String {
    func list(_ topics: [PushTopic]) -> String {
      topics.map { "'\($0.text)'" }.joined(separator: ", ")
    }
    return switch self {
    case .all: ""
    case .only(let topics): topics.isEmpty ? " AND 1 = 0" : " AND topic IN (\(list(topics)))"
    case .except(let topics): topics.isEmpty ? "" : " AND topic NOT IN (\(list(topics)))"
    }
  }
}
