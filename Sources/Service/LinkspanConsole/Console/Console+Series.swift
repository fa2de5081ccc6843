internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryServer

/// What came of pushes over time.
extension Console {
  /// Minutes on the page of all deliveries. Ours.
  private static let shownMinutes: Int64 = 60

  /// Of a campaign's picture. Ours: one minute alone would fill it.
  private static let leastMinutes: Int64 = 10

  private static func minute(_ time: WallTime) -> Int64 { time.milliseconds / 60_000 }

  /// The last hour by reason.
  func outcomesOfLastHour() -> Markup { lastHour { counts, _ in Self.outcomes(counts) } }

  /// The last hour by minute.
  func lastHourOverTime() -> Markup { lastHour { Self.picture(DeliverySeries($0, minutes: $1)) } }

  private static func outcomes(_ counts: [MinuteCount]) -> Markup {
    var reasons: [String: Int] = [:]
    for count in counts {
      let name = count.reason.isEmpty ? count.state.rawValue : "\(count.state.rawValue): \(count.reason)"
      reasons[name, default: 0] += Int(count.number)
    }
    let rows = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { name, count -> Markup in
      "<tr data-key=\"\(name)\"><td>\(name)</td><td class=\"count\">\(count)</td></tr>"
    }
    return rows.isEmpty
      ? "<p>No push ended in the last hour.</p>"
      : Piece.table(
        "What came of the pushes of the last hour", columns: ["Outcome", .count("Deliveries")], rows: rows)
  }

  private static func picture(_ series: DeliverySeries) -> Markup {
    """
    <h2>Over time</h2><section data-key="chart">\(series.picture)</section>\(DeliverySeries.legend)\(series.table)
    """
  }

  private func lastHour(_ show: ([MinuteCount], Range<Int64>) -> Markup) -> Markup {
    guard let registry = system.registry() else { return .none }
    // A column is two minutes wide. It begins with an even one, so that an open page keeps its columns as time goes on.
    let end = (Self.minute(system.now()) / 2 + 1) * 2
    let minutes = (end - Self.shownMinutes)..<end
    do {
      return show(try registry.counts(ofMinutes: minutes), minutes)
    } catch {
      return Piece.notice("The registry's store does not answer now.", "bad")
    }
  }

  /// A campaign from its start to its end, or until now.
  func series(of campaign: JSONNode) -> Markup {
    guard let registry = system.registry(), let number = campaign["id"]?.string.flatMap({ Int64($0) }),
      let began = campaign["created_at"]?.string.flatMap({ WallTime($0) })
    else { return .none }
    let ended = campaign["finished_at"]?.string.flatMap { WallTime($0) } ?? system.now()
    let last = max(Self.minute(ended), Self.minute(began))
    let oldest = Self.minute(system.now()) - RegistryAPI.keptMinutes
    guard last >= oldest else {
      return "<p class=\"soft\">Its minutes are no longer kept; the counts above are complete.</p>"
    }
    // A scheduled campaign was made long before anything was sent.
    let kept = max(Self.minute(began), oldest)..<(last + 1)
    do {
      let counts = try registry.counts(ofMinutes: kept, campaign: number)
      guard let first = counts.first?.minute else { return .none }
      return Self.picture(DeliverySeries(counts, minutes: first..<max(last + 1, first + Self.leastMinutes)))
    } catch {
      return Piece.notice("The registry's store does not answer now.", "bad")
    }
  }
}
