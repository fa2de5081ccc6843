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
  /// - Source: rule LC1.
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
    let naive = Arrival.rehearsed(entrance, isCold: isCold, in: shape, code: .naive)
    let careful = Arrival.rehearsed(entrance, isCold: isCold, in: shape, code: LinkCode())
    var lines = naive.doors
    if naive.problems.contains(.missingScene) { lines = ["does not launch"] }
    if lines.isEmpty { lines = ["nothing"] }
    return Cell(
      lines, naive.deliveries == 1 ? .good : .bad, naive.certainty,
      [
        ("start", .string(isCold ? "cold" : "warm")), ("entrance", .string(entrance.rawValue)),
        ("life_cycle", .string(shape.lifeCycle.rawValue)), ("sdk", .int(shape.sdk)),
        (
          "continues_activities",
          shape.lifeCycle == .swiftUI ? .bool(shape.continuesActivities) : .null
        ),
        ("launches", .bool(shape.launches)), ("deliveries", .int(naive.deliveries)),
        ("certainty", .string(naive.certainty.rawValue)),
        ("steps", .array(naive.steps.filter(\.isOfSystem).map(\.json))),
        ("handled_by_naive_app", .int(naive.handled)), ("handled_by_careful_app", .int(careful.handled)),
        ("careful_app_is_exactly_once", .bool(careful.isExactlyOnce)),
        ("problems", .array(naive.problems.map(\.json))),
      ])
  }
}

extension String {
  fileprivate var dropArticle: String {
    for article in ["a ", "an "] where hasPrefix(article) { return String(dropFirst(article.count)) }
    return self
  }
}
