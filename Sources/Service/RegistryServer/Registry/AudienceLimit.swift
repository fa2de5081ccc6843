internal import LinkspanCore

/// How many devices may get one push without the client saying that it knows their number.
///
/// It counts, whatever chose them: every device, a query, aliases or tokens. Whoever sends to more says how many they
/// expect, once, when the push is created. What comes again within a day counts as often as it comes.
struct AudienceLimit: Sendable {
  /// Devices that need no word. Ours.
  static let usual: Int64 = 1_000

  var askAbove: Int64

  /// Why a push does not go out; nil where it does.
  ///
  /// - Parameters:
  ///   - count: Its devices, counted in the transaction that stores it.
  ///   - times: How often each of them gets it within a day.
  ///   - confirmed: How many the client expects at most; nil where it does not say. One in a hundred more is let pass,
  ///     since devices register all the time.
  ///   - what: Such as "campaign".
  func refusal(of devices: Int64, times: Int64 = 1, confirmed: Int64?, _ what: String) -> HTTPResponse? {
    let count = devices * times
    if let confirmed, count <= confirmed + confirmed / 100 { return nil }
    if confirmed == nil, count <= askAbove { return nil }
    let bound = confirmed.map { "the \($0) that were confirmed" } ?? "\(askAbove)"
    let reach =
      times == 1
      ? "would reach \(Int(count).counted("device"))"
      : "would send \(count) pushes in its first 24 hours, up to \(times) to each of \(devices) devices"
    return Problem(
      409,
      "The \(what) \(reach), more than \(bound). Nothing was sent. To send it to all of them, "
        + "repeat the request with \"confirm\": \(count).", count: count, times: times
    ).response
  }
}
