internal import LinkspanCore

extension Matrix {
  /// The kinds of apps that differ in their callbacks, in the order of the columns.
  private static let shapes: [(name: String, shape: AppShape)] = [
    ("app delegate", AppShape(.appDelegate)),
    (
      "app delegate, iOS \(AppShape.firstSDKWithScenes) SDK",
      AppShape(.appDelegate, sdk: AppShape.firstSDKWithScenes)
    ),
    ("scene", AppShape(.scene)), ("SwiftUI", AppShape(.swiftUI)),
    ("SwiftUI, onOpenURL only", AppShape(.swiftUI, continuesActivities: false)),
  ]

  /// What brings the payload into an app: cold and warm, by every entrance, for every kind of app.
  ///
  /// - Source: spec handoff-and-app D.
  package static func arrival() -> Matrix {
    var rows: [Row] = []
    for isCold in [true, false] {
      for entrance in Entrance.allCases {
        rows.append(
          Row(
            title: "\(isCold ? "cold" : "warm"), \(entrance.words.dropArticle)",
            cells: shapes.map { cell(entrance, isCold: isCold, $0.shape) }))
      }
    }
    return Matrix(
      name: "arrival", title: "Which callbacks bring what arrives, in order", columns: shapes.map(\.name),
      rows: rows,
      notes: [
        "Two callbacks in a cell: one tap is delivered twice, and a router must take it once.",
        "connectionOptions.userActivities is a set: choose by type and webpageURL, not the first. (o)",
        "'simctl openurl' with an https URL opens the browser in the Simulator, even if the app is associated. (o)",
      ])
  }

  private static func cell(_ entrance: Entrance, isCold: Bool, _ shape: AppShape) -> Cell {
    let naive = run(entrance, isCold: isCold, shape, .naive)
    let careful = run(entrance, isCold: isCold, shape, LinkCode())
    let deliveries = naive.steps.filter(\.isDelivery)
    var lines = deliveries.map { step in
      // The options say more than the function that has them.
      step.carrier.flatMap { $0.contains("Options") ? $0 : nil } ?? step.name
    }
    if naive.problems.contains(.missingScene) { lines = ["does not launch"] }
    if lines.isEmpty { lines = ["nothing"] }
    return Cell(
      lines, deliveries.count == 1 ? .good : .bad, naive.certainty,
      [
        ("start", .string(isCold ? "cold" : "warm")), ("entrance", .string(entrance.rawValue)),
        ("life_cycle", .string(shape.lifeCycle.rawValue)), ("sdk", .int(shape.sdk)),
        (
          "continues_activities",
          shape.lifeCycle == .swiftUI ? .bool(shape.continuesActivities) : .null
        ),
        ("launches", .bool(shape.launches)), ("deliveries", .int(deliveries.count)),
        ("certainty", .string(naive.certainty.rawValue)),
        ("steps", .array(naive.steps.filter { $0.kind.isOfSystem }.map(\.json))),
        ("handled_by_naive_app", .int(naive.handled)), ("handled_by_careful_app", .int(careful.handled)),
        ("problems", .array(naive.problems.map(\.json))),
      ])
  }

  private static func run(_ entrance: Entrance, isCold: Bool, _ shape: AppShape, _ code: LinkCode) -> Arrival
  {
    var process = AppProcess(shape)
    if !isCold, process.launch() != nil {
      _ = process.becomeActive()
      _ = process.resignActive()
      _ = process.enterBackground()
    }
    return Arrival(entrance, in: &process, code: code)
  }
}

extension ArrivalStep.Kind {
  fileprivate var isOfSystem: Bool {
    switch self {
    case .callback, .launchRefused: true
    default: false
    }
  }
}

extension String {
  fileprivate var dropArticle: String {
    for article in ["a ", "an "] where hasPrefix(article) { return String(dropFirst(article.count)) }
    return self
  }
}
