internal import LinkspanCommand
internal import LinkspanCore
internal import PushSending

/// Starting a campaign, and the question whether so many devices are meant.
extension CampaignRun {
  /// How often a count is confirmed anew because devices came meanwhile. Ours.
  private static let attemptLimit = 5

  /// Stores a campaign, with the number of its devices confirmed where the server wants that.
  ///
  /// - Returns: nil when the person at the terminal says no.
  /// - Throws: What the registry says against it, or that nobody confirms the number.
  func create(_ body: [UInt8]) throws(LinkspanError) -> JSONNode? {
    let bound: Int? = try arguments.number("--confirm", atLeast: 0)
    var confirmed = bound
    if bound == nil, let limit: Int = try arguments.number("--ask-above", atLeast: 0) {
      let estimate = try answer("POST", "/v1/estimates", body)
      let times = estimate["times_in_day"]?.int ?? 1
      let count = (estimate["devices"]?.int ?? 0) * times
      if count > limit {
        guard try isMeant(count, times, status: nil) else { return nil }
        confirmed = count
      } else {
        confirmed = limit
      }
    }
    for _ in 0..<Self.attemptLimit {
      let response = try client.send(
        "POST", "/v1/campaigns", body: Self.confirming(confirmed, body), key: arguments.value("--key"))
      let root = JSONParser.parse(response.body).root
      if (200..<300).contains(response.status), let root { return root }
      guard response.status == 409, let count = root?["count"]?.int else {
        throw refusal(response, root)
      }
      let times = root?["times_in_day"]?.int ?? 1
      if let bound {
        throw unconfirmed(
          "\(Self.reach(count, times)), and '--confirm' allows \(bound). Nothing was sent.", response.status,
          help: "Check the conditions. To send it to all of these devices, add '--confirm \(count)'.")
      }
      guard try isMeant(count, times, status: response.status) else { return nil }
      confirmed = count
    }
    throw unconfirmed(
      "the number of devices kept growing while it was confirmed. Nothing was sent.", 409,
      help: "Give a bound that is high enough with '--confirm'.")
  }

  /// - Parameter status: The server's; nil where it has only counted.
  private func unconfirmed(_ what: String, _ status: Int?, help: String) -> LinkspanError {
    console.refused(LinkspanError(what, help: help), asJSON: arguments.has("--json"), status: status)
  }

  private static func confirming(_ count: Int?, _ body: [UInt8]) -> [UInt8] {
    guard let count else { return body }
    return body.dropLast() + Array(",\"confirm\":\(count)}".utf8)
  }

  /// - Parameters:
  ///   - count: Devices, or pushes where each device gets several.
  ///   - times: How often each device gets it in the first 24 hours.
  private static func reach(_ count: Int, _ times: Int) -> String {
    guard times > 1 else { return "the campaign would reach \(count.counted("device"))" }
    return "the campaign would send \(count) pushes in its first 24 hours, up to \(times) to each of"
      + " \((count / times).counted("device"))"
  }

  private func isMeant(_ count: Int, _ times: Int, status: Int?) throws(LinkspanError) -> Bool {
    if arguments.has("--yes") { return true }
    let devices = Self.reach(count, times)
    if let isMeant = Question.isMeant("\(devices). Start it?") {
      if !isMeant { refuse("nothing was sent") }
      return isMeant
    }
    throw unconfirmed(
      "\(devices); a campaign to so many has to be confirmed. Nothing was sent.", status,
      help:
        "To send it to all of them, add '--confirm \(count)', or '--yes' in a script that does not know the number."
    )
  }
}
