/// The releases of operating systems that an answer holds for, as they are written.
package struct HeldReleases: Hashable, Sendable {
  package struct Span: Hashable, Sendable {
    /// The first release, such as `ios:13.5`.
    package var from: String
    /// The last; nil: up to the newest.
    package var to: String?

    package init(from: String, to: String?) {
      self.from = from
      self.to = to
    }

    fileprivate var members: [(String, JSON)] { [("from", .string(from)), ("to", .init(to))] }
  }

  package let first: Span
  /// Further ones, where releases between them are different.
  package let others: [Span]
  /// For people; nil where it holds for all releases that were asked about.
  package let name: String?

  package init(first: Span, others: [Span], name: String?) {
    self.first = first
    self.others = others
    self.name = name
  }

  /// The release, where it is one alone.
  package var only: String? { others.isEmpty && first.from == first.to ? first.from : nil }

  /// `{"from":…,"to":…}`, with a list `also` of more such where there are further spans.
  package var json: JSON {
    let also: [(String, JSON)] =
      others.isEmpty ? [] : [("also", .array(others.map { .object($0.members) }))]
    return .object(first.members + also)
  }
}
