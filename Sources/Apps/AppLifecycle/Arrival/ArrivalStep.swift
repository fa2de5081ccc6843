package import LinkspanCore

/// One thing that happens while something arrives in an app, with the rule it rests on.
package struct ArrivalStep: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The system calls the app.
    ///
    /// - Parameter carrying: Where the payload is, such as `launchOptions[.url]`; nil when this call brings none.
    case callback(Callback, carrying: String?)
    /// The app hands the payload to its router.
    case handled
    /// The app keeps the payload until its interface is ready.
    case queued
    /// The app already had this payload, and leaves the second one.
    case repeatIgnored
    /// The payload is lost.
    case lost
    /// The app calls `open(_:)` with a link it cannot route, and the browser shows the page.
    case handedBack
    /// The page opened the app again.
    case cameBack
    /// The app shows the page itself.
    case shownInside
    /// The interface and the session are there.
    case interfaceReady
    /// The system refuses to start the app.
    case launchRefused
  }

  package var kind: Kind
  package var certainty: Certainty
  /// Numbers in the catalogue, such as `LC1`.
  package var rules: [String]

  /// - Parameter rules: Those of the kind where nil.
  init(_ kind: Kind, _ certainty: Certainty, _ rules: [String]? = nil) {
    self.kind = kind
    self.certainty = certainty
    self.rules = rules ?? [kind.rule]
  }

  /// Whether the system hands the payload over.
  package var isDelivery: Bool {
    if case .callback(_, .some) = kind { true } else { false }
  }

  /// Whether the system does it, and not the app's code.
  package var isOfSystem: Bool {
    switch kind {
    case .callback, .launchRefused: true
    default: false
    }
  }

  /// In the program's output.
  package var name: String {
    switch kind {
    case .callback(let callback, _): callback.rawValue
    case .handled: "handled"
    case .queued: "queued"
    case .repeatIgnored: "repeat-ignored"
    case .lost: "lost"
    case .handedBack: "handed-back"
    case .cameBack: "came-back"
    case .shownInside: "shown-inside"
    case .interfaceReady: "interface-ready"
    case .launchRefused: "launch-refused"
    }
  }

  /// Where the payload is; nil for a step that brings none.
  package var carrier: String? {
    if case .callback(_, let carrier) = kind { carrier } else { nil }
  }

  /// `{"step":…,"carries":…,"rules":[…],"certainty":…}`
  package var json: JSON {
    .object([
      ("step", .string(name)), ("carries", .init(carrier)), ("rules", .array(rules.map(JSON.string))),
      ("certainty", .string(certainty.rawValue)),
    ])
  }
}

extension ArrivalStep.Kind {
  fileprivate var rule: String {
    switch self {
    case .callback(_, .some): "LC1"
    case .callback(_, nil): "LC4"
    case .launchRefused: "LC2"
    case .handled, .queued, .repeatIgnored, .lost, .interfaceReady: "LC3"
    case .handedBack, .cameBack, .shownInside: "SR4"
    }
  }
}
