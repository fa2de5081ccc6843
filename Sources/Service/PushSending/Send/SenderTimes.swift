internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import PushProvider
internal import PushTerms
internal import RegistryRequests

/// How long pushes took, as histograms by lane, environment and topic.
struct SenderTimes {
  /// What times are counted by.
  struct Series: Hashable {
    var lane: PushLane
    var environment: PushEnvironment
    var topic: String

    init(_ content: MessageContent, _ kind: Message.Kind) {
      lane = PushLane(kind)
      environment = content.environment
      topic = content.topic.text
    }

    var labels: [(String, String)] {
      [("lane", lane.rawValue), ("environment", environment.rawValue), ("topic", topic)]
    }
  }

  /// Ours: further topics share one series.
  private static let topicLimit = 100
  private static let latencyBounds: [Int64] = [
    5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
  ]
  private static let lagBounds: [Int64] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000,
  ]

  private var latency: [Series: TimeHistogram] = [:]
  private var lag: [Series: TimeHistogram] = [:]
  private var topics: Set<String> = []

  /// Takes an answer of APNs.
  ///
  /// - Parameters:
  ///   - time: Since the push was handed over, in milliseconds.
  ///   - lag: Since it was due first, where APNs took it.
  mutating func note(_ series: Series, answered time: Int64, accepted lag: Int64?) {
    var series = series
    if !topics.contains(series.topic) {
      if topics.count < Self.topicLimit { topics.insert(series.topic) } else { series.topic = "other" }
    }
    latency[series, default: TimeHistogram(Self.latencyBounds)].note(time)
    if let lag { self.lag[series, default: TimeHistogram(Self.lagBounds)].note(lag) }
  }

  func write(to page: inout MetricsPage) {
    Self.write(
      "linkspan_push_latency_seconds", "Time from handing a push over to APNs' answer, one attempt.", latency,
      to: &page)
    Self.write(
      "linkspan_push_delivery_seconds",
      "Time from when a push was due first to APNs' taking it, retries included.",
      lag, to: &page)
  }

  private static func write(
    _ name: String, _ help: String, _ histograms: [Series: TimeHistogram], to page: inout MetricsPage
  ) {
    page.family(name, .histogram, help)
    let order = { (series: Series) in series.labels.map(\.1).joined(separator: "\u{1F}") }
    for (series, histogram) in histograms.sorted(by: { order($0.key) < order($1.key) }) {
      page.histogramSamples(
        name, series.labels, bounds: histogram.bounds.map(MetricsPage.seconds), counts: histogram.counts,
        sum: MetricsPage.seconds(histogram.sumMilliseconds))
    }
  }
}
