extension Route {
  /// Those of its URLs that may be of another route too: a parameter of any text is what the other has there.
  ///
  /// - Returns: A route with every URL that both have and none that this one lacks; nil where no URL is of both.
  package func narrowed(to other: Route) -> Route? {
    let count = max(segments.count, other.segments.count)
    guard segments.count == count || hasRest, other.segments.count == count || other.hasRest else {
      return nil
    }
    var narrowed: [Segment] = []
    for place in 0..<count {
      guard place < other.segments.count else {
        narrowed.append(segments[place])
        continue
      }
      let theirs = other.segments[place]
      let own = place < segments.count ? segments[place] : .parameter(name: "rest", prefix: "", suffix: "")
      switch (own, theirs) {
      case (.literal(let text), .literal(let theirText)) where text != theirText: return nil
      case (.parameter(_, "", "", .segment), .literal),
        (.parameter(_, "", "", .segment), .parameter(_, _, _, .segment)):
        narrowed.append(theirs)
      default: narrowed.append(own)
      }
    }
    return Route(text: text, segments: narrowed, hasRest: hasRest && other.hasRest)
  }

  private init(text: String, segments: [Segment], hasRest: Bool) {
    self.text = text
    self.segments = segments
    self.hasRest = hasRest
  }
}
