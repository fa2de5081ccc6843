import LinkspanCore

@testable import AssetLinks

/// Reads the statements an asset makes, includes and all, and answers questions about them.
struct StatementResolver {
  /// Where a list of statements is.
  enum Location: Hashable, Sendable {
    case web(url: String, isSecure: Bool)
    /// In the app's package; it counts as secure.
    case package(AndroidApp)

    var isSecure: Bool {
      switch self {
      case .web(_, let isSecure): isSecure
      case .package: true
      }
    }
  }

  /// What kept statements from being read.
  enum Obstacle: Hashable, Sendable {
    case notJSON(String)
    case fault(StatementFault)
    /// A secure list may not include an insecure one, whatever is above it (D3).
    case insecureInclude(String)
    /// More lists than are read for one question.
    case budgetExhausted
  }

  /// Every statement that could be read, and what could not.
  struct Answer: Sendable {
    fileprivate(set) var statements: [StatementList.Statement] = []
    fileprivate(set) var obstacles: [Obstacle] = []
    /// Whether a list that was read is `[]`: nothing to list, and no obstacle to a question about a target.
    fileprivate(set) var hasEmptyList = false

    /// Whether one of them has the relation to the target.
    func has(_ relation: Relation, to target: Asset) -> Bool {
      statements.contains { $0.relations.contains(relation) && $0.target.includes(target) }
    }
  }

  /// Where a site publishes its statements (D1).
  private static func statementListURL(of site: WebSite) -> String { "\(site)/.well-known/assetlinks.json" }

  /// Lists read for one question. Ours: Google publishes no number.
  static let fetchLimit = 11

  /// Ours: lists inside lists inside lists.
  static let depthLimit = 8

  /// The bytes at a place, or nil when nothing with status 200 is there (D2).
  private let fetch: (Location) -> [UInt8]?

  init(fetch: @escaping (Location) -> [UInt8]?) { self.fetch = fetch }

  /// Every statement that an asset makes, included lists among them, within ``fetchLimit`` and ``depthLimit``.
  func statements(of source: Asset) -> Answer {
    var answer = Answer()
    var budget = Self.fetchLimit
    let location: Location =
      switch source {
      case .web(let site): .web(url: Self.statementListURL(of: site), isSecure: site.isSecure)
      case .androidApp(let app): .package(app)
      }
    read(location, depth: 0, budget: &budget, into: &answer)
    return answer
  }

  private func read(_ location: Location, depth: Int, budget: inout Int, into answer: inout Answer) {
    guard budget > 0, depth < Self.depthLimit else {
      if !answer.obstacles.contains(.budgetExhausted) { answer.obstacles.append(.budgetExhausted) }
      return
    }
    budget -= 1
    guard let bytes = fetch(location) else { return }
    let document = JSONParser.parse(bytes)
    guard document.isWellFormed, let root = document.root else {
      answer.obstacles.append(.notJSON(document.errors.first?.message ?? "nothing is there"))
      return
    }
    let list = StatementList(root)
    for problem in list.problems {
      // An empty list answers "no" to a question about a target; only who asks for the list misses something.
      if problem.fault.kind == .emptyList {
        answer.hasEmptyList = true
      } else {
        answer.obstacles.append(.fault(problem.fault))
      }
    }
    answer.statements += list.statements
    for include in list.includes {
      if location.isSecure, !include.isSecure {
        answer.obstacles.append(.insecureInclude(include.url))
      } else {
        read(
          .web(url: include.url, isSecure: include.isSecure), depth: depth + 1, budget: &budget, into: &answer
        )
      }
    }
  }
}
