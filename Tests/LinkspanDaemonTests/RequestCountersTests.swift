import HTTPEngine
import LinkspanCore
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanDaemon

/// Requests by host, class of client, status and protocol.
@Suite struct RequestCountersTests {
  private func page(_ exchanges: [(host: String, status: Int)], hosts: [String] = ["a.example"]) -> [String] {
    let labels = HostLabels()
    labels.add(hosts)
    let counters = RequestCounters(labels)
    for (host, status) in exchanges {
      let request = HTTPRequest(authority: host, target: "/")
      counters.note(
        ServerExchange(
          request: request, status: status, bodyBytes: 0, durationNanoseconds: 2_000, version: .http11))
    }
    var page = MetricsPage()
    RequestCounters.write([counters, RequestCounters(labels)], labels, to: &page)
    return String(decoding: page.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      .filter {
        $0.hasPrefix("linkspan_requests_total{") || $0.hasPrefix("linkspan_request_duration_seconds_count")
      }
  }

  private func line(_ host: String, _ status: String, _ count: Int) -> String {
    "linkspan_requests_total{host=\"\(host)\",client=\"other\",status=\"\(status)\",protocol=\"HTTP/1.1\"} \(count)"
  }

  @Test(arguments: [
    200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 500, 501, 502, 503,
  ])
  func whatTheServiceAnswersHasItsOwnLabel(status: Int) {
    #expect(
      page([("a.example", status), ("a.example", status)]) == [
        line("a.example", "\(status)", 2), "linkspan_request_duration_seconds_count 2",
      ])
  }

  @Test(arguments: [0, 99, 299, 418, 599, 600, 1_000]) func anyOtherStatusIsCountedToo(status: Int) {
    #expect(page([("a.example", status)]).first == line("a.example", "other", 1))
  }

  @Test func hostsAreNumberedInTheirOrderUpToALimit() {
    let labels = HostLabels()
    let before = labels.version
    labels.add(["b.example", "a.example"])
    labels.add(["a.example", "c.example"])
    #expect(labels.table == ["b.example": 1, "a.example": 2, "c.example": 3])
    #expect(labels.version != before)
    labels.add((0..<997).map { "\($0).example" })
    #expect(labels.table.count == 1_000 && labels.table["996.example"] == 1_000)
    labels.add(["late.example", "b.example"])
    #expect(
      labels.table.count == 1_000 && labels.table["late.example"] == nil && labels.table["b.example"] == 1)
  }

  @Test func aHostIsCountedByAnySpelling() {
    #expect(
      page([("A.example.:443", 200), ("a.example", 200), ("made-up.example", 200)]).dropLast() == [
        line("other", "200", 1), line("a.example", "200", 2),
      ])
  }
}
