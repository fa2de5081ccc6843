internal import LinkspanCore

/// What changes from one version of a part of a page to the next: a few rows in place of all of them.
///
/// A row is `<tr data-key="…">…</tr>`, or a section with a key; rows one after the other are a run. Where anything but rows
/// differs, the whole part is sent.
struct LiveDifference {
  /// Ours: a page of a list has a hundred.
  private static let rowLimit = 400

  private struct Row: Equatable {
    let key: String
    let html: String
  }

  private struct Outline {
    /// What is around runs of rows.
    var rest: [String] = [""]
    var runs: [[Row]] = []

    init(_ text: String) {
      var left = text[...]
      var isInRun = false
      while let (start, tag) = Self.next(in: left),
        let end = left[start.upperBound...].firstRange(of: tag.end)
      {
        let before = left[..<start.lowerBound]
        if !before.allSatisfy({ $0 == "\n" || $0 == " " }) || !isInRun {
          rest[rest.count - 1] += before
          runs.append([])
          rest.append("")
        }
        let key = String(left[start.upperBound...].prefix { $0 != "\"" })
        runs[runs.count - 1].append(Row(key: key, html: String(left[start.lowerBound..<end.upperBound])))
        isInRun = true
        left = left[end.upperBound...]
      }
      rest[rest.count - 1] += left
    }

    /// The elements that may have a key; none of them lies in another one.
    private static let tags = [
      (begin: "<tr data-key=\"", end: "</tr>"), (begin: "<section data-key=\"", end: "</section>"),
    ]

    private static func next(in text: Substring) -> (Range<String.Index>, (begin: String, end: String))? {
      tags.compactMap { tag in text.firstRange(of: tag.begin).map { ($0, tag) } }
        .min { $0.0.lowerBound < $1.0.lowerBound }
    }
  }

  /// - Returns: The steps as JSON; nil where the whole part has to be sent.
  static func steps(from old: String, to new: String) -> [JSON]? {
    let (before, after) = (Outline(old), Outline(new))
    guard before.rest == after.rest, before.runs.count == after.runs.count,
      before.runs.allSatisfy({ $0.count <= rowLimit }), after.runs.allSatisfy({ $0.count <= rowLimit })
    else { return nil }
    var steps: [JSON] = []
    for (old, new) in zip(before.runs, after.runs) where old != new {
      guard let more = Self.steps(from: old, to: new) else { return nil }
      steps += more
    }
    return steps
  }

  private static func steps(from old: [Row], to new: [Row]) -> [JSON]? {
    let places = Dictionary(old.enumerated().map { ($1.key, $0) }) { first, _ in first }
    guard places.count == old.count, Set(new.map(\.key)).count == new.count else { return nil }
    let kept = Set(longestRise(new.compactMap { places[$0.key] }).map { old[$0].key })
    guard !kept.isEmpty else { return nil }
    var steps = old.filter { !kept.contains($0.key) }.map { row in
      JSON.object([("remove", .string(row.key))])
    }
    let first = new.first { kept.contains($0.key) }?.key
    var last: String?
    for row in new {
      defer { last = row.key }
      if kept.contains(row.key) {
        guard let place = places[row.key], old[place] != row else { continue }
        steps.append(.object([("replace", .string(row.key)), ("html", .string(row.html))]))
      } else {
        let place: (String, JSON) = last.map { ("after", .string($0)) } ?? ("before", .init(first))
        steps.append(.object([("insert", .string(row.key)), place, ("html", .string(row.html))]))
      }
    }
    return steps
  }

  /// The longest list of these numbers that rises, in their order.
  private static func longestRise(_ numbers: [Int]) -> [Int] {
    var lengths = [Int](repeating: 1, count: numbers.count)
    var previous = [Int](repeating: -1, count: numbers.count)
    for index in numbers.indices {
      for other in 0..<index where numbers[other] < numbers[index] && lengths[other] + 1 > lengths[index] {
        (lengths[index], previous[index]) = (lengths[other] + 1, other)
      }
    }
    var place = lengths.indices.max { lengths[$0] < lengths[$1] } ?? -1
    var rise: [Int] = []
    while place >= 0 {
      rise.append(numbers[place])
      place = previous[place]
    }
    return rise.reversed()
  }
}
