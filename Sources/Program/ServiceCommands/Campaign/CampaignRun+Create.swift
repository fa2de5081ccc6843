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
      let count = try answer("POST", "/v1/estimates", body)["devices"]?.int ?? 0
      if count > limit {
        guard try isMeant(count) else { return nil }
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
        throw Self.refusal(response, root)
      }
      if let bound {
        throw LinkspanError(
          "the campaign would reach \(count) devices, and '--confirm' allows \(bound). Nothing was sent.",
          help: "Check the conditions. To send it to all of these devices, add '--confirm \(count)'.")
      }
      guard try isMeant(count) else { return nil }
      confirmed = count
    }
    throw LinkspanError(
      "the number of devices kept growing while it was confirmed. Nothing was sent.",
      help: "Give a bound that is high enough with '--confirm'.")
  }

  private static func confirming(_ count: Int?, _ body: [UInt8]) -> [UInt8] {
    guard let count else { return body }
    return body.dropLast() + Array(",\"confirm\":\(count)}".utf8)
  }

  private func isMeant(_ count: Int) throws(LinkspanError) -> Bool {
    if arguments.has("--yes") { return true }
    let devices = "the campaign would reach \(count) \(count == 1 ? "device" : "devices")"
    if let isMeant = Question.isMeant("\(devices). Start it?") {
      if !isMeant { console.note("nothing was sent") }
      return isMeant
    }
    throw LinkspanError(
      "\(devices); a campaign to so many has to be confirmed. Nothing was sent.",
      help:
        "To send it to all of them, add '--confirm \(count)', or '--yes' in a script that does not know the number."
    )
  }
}
