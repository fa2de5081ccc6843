package import LinkspanCore

/// What is wrong with a broadcast, by the rules for a push of a Live Activity and those of broadcasts.
package enum BroadcastCheck {
  package static func findings(
    in payload: SourceText, priority: PushPriority, expiration: Int
  ) -> [Finding] {
    var headers = PushHeaders()
    headers.type = .init(PushType.liveactivity.rawValue)
    headers.priority = .init(priority.text)
    headers.expiration = .init("\(expiration)")
    let source = PayloadSource(payload, headers: headers, isBody: true)
    var findings = PushDecision(source).findings.filter { $0.rule != sizeRule }
    if source.sizeBytes > ChannelRequest.Broadcast.payloadLimitBytes {
      findings.append(
        Finding(
          rule: sizeRule, severity: .error, at: Finding.Location(payload, source.start),
          message:
            "the payload has \(source.sizeBytes) bytes; a broadcast has at most \(ChannelRequest.Broadcast.payloadLimitBytes)",
          help: "APNs refuses it with 413 PayloadTooLarge."))
    }
    if let event = source.aps?["event"], event.string == Aps.ActivityEvent.start.rawValue {
      findings.append(
        Finding(
          rule: "push.broadcast-start", severity: .error, at: Finding.Location(payload, event.range),
          message: "a broadcast cannot start an activity",
          help:
            "APNs accepts it, and no device starts anything. Start it with a push to each push-to-start token."
        ))
    }
    return findings.inReadingOrder()
  }

  /// Of a push to a device, which has less room.
  private static let sizeRule = "push.too-large"
}
