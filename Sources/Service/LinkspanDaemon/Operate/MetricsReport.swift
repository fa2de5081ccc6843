internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanServer
internal import PushSending
internal import RegistryServer

/// All numbers of a running server on one page.
///
/// Everything on it is read from atomics, or copied under a lock that is held for the copy only: a scrape never waits for
/// a loop, nor a loop for a scrape.
struct MetricsReport {
  var server: ServerMetrics
  var connectionLimit: Int
  var loops: [RequestCounters]
  var labels: HostLabels
  var state: OperatorState.Snapshot
  var logLines: (written: Int, dropped: Int)
  var now: WallTime
  /// Seconds since 1970.
  var started: Int64
  var version: String
  var process: ProcessNumbers
  /// nil without a registry.
  var registry: RegistryAPI?
  /// nil where no pushes are sent.
  var senders: SenderCounters?
  /// nil where pushes are sent, or there is no registry.
  var backlog: PushBacklog?
  /// nil where the journal is not exported.
  var exporter: JournalExporter?
  var readiness: Readiness

  var page: MetricsPage {
    var page = MetricsPage()
    RequestCounters.write(loops, labels, to: &page)
    writeAnswers(to: &page)
    writeConnections(to: &page)
    writePublications(to: &page)
    if let registry {
      registry.counters.write(
        waiting: registry.waitingChanges, times: registry.changeTimes, journal: registry.journal, to: &page)
    }
    senders?.write(to: &page)
    backlog?.write(to: &page)
    exporter?.write(to: &page)
    writeReadiness(to: &page)
    writeProcess(to: &page)
    return page
  }

  private func writeAnswers(to page: inout MetricsPage) {
    page.family(
      "linkspan_responses_total", .counter,
      "Answers by the first digit of their status, including those to unreadable requests. 501 and 505, to methods and versions"
        + " of HTTP that are not served here, count as 4xx: the client chose them.")
    let classes: [(String, ServerMetrics.Counter)] = [
      ("2xx", .responses2xx), ("3xx", .responses3xx), ("4xx", .responses4xx), ("5xx", .responses5xx),
    ]
    for (name, counter) in classes {
      page.sample("linkspan_responses_total", [("class", name)], server[counter])
    }
    page.family(
      "linkspan_received_bytes_total", .counter, "Bytes of HTTP received, inside TLS.", server[.bytesReceived]
    )
    page.family("linkspan_sent_bytes_total", .counter, "Bytes of HTTP sent, inside TLS.", server[.bytesSent])
    page.family(
      "linkspan_http2_streams_reset_total", .counter,
      "Streams that ended with an error, reset by client or server.",
      server[.streamsReset])
    page.family("linkspan_http2_goaways_total", .counter, "GOAWAY frames sent.", server[.goawaysSent])
    page.family("linkspan_http2_streams", .gauge, "Streams that are open.", server[.streamsNow])
    page.family(
      "linkspan_queued_bytes", .gauge, "Bytes of answers that wait for clients to take them.",
      server[.queuedBytesNow])
    page.family(
      "linkspan_body_bytes", .gauge, "Bytes of request bodies that are held until they are answered.",
      server[.bodyBytesNow])
    page.family(
      "linkspan_bodies_refused_total", .counter,
      "Requests answered 503 because all connections together held as much of bodies as they may.",
      server[.bodiesRefused])
    page.family(
      "linkspan_handed_over_total", .counter, "Requests whose answers are computed off the event loops.",
      server[.offloaded])
    page.family(
      "linkspan_handed_over_refused_total", .counter,
      "Requests for such a thread that were answered 503: too many waited, or the answer took too long.")
    page.sample(
      "linkspan_handed_over_refused_total", [("reason", "queue_full")], server[.offloadRefused])
    page.sample("linkspan_handed_over_refused_total", [("reason", "deadline")], server[.handlerDeadlines])
    page.family(
      "linkspan_pending_requests", .gauge, "Requests that wait for such a thread or its answer.",
      server[.pendingNow])
    page.family(
      "linkspan_access_log_lines_written_total", .counter, "Lines of the access log that were written.",
      logLines.written)
    page.family(
      "linkspan_access_log_lines_dropped_total", .counter,
      "Lines of the access log that found no room in the buffer or on the disk.", logLines.dropped)
  }

  private func writeConnections(to page: inout MetricsPage) {
    page.family(
      "linkspan_connections_accepted_total", .counter, "Connections that came.", server[.accepted])
    page.family(
      "linkspan_connections_refused_total", .counter,
      "Connections that were closed at once: over a limit, or out of memory.")
    let refusals: [(String, ServerMetrics.Counter)] = [
      ("total", .refusedTotal), ("per_address", .refusedPerAddress), ("memory", .refusedMemory),
    ]
    for (name, counter) in refusals {
      page.sample("linkspan_connections_refused_total", [("reason", name)], server[counter])
    }
    page.family(
      "linkspan_connections_closed_total", .counter, "Connections that ended, by why.")
    for closing in ServerClosing.allCases {
      page.sample(
        "linkspan_connections_closed_total", [("reason", Self.snakeCase("\(closing)"))], server[closing])
    }
    page.family("linkspan_connections", .gauge, "Connections that are open.", server.openNow)
    page.family(
      "linkspan_connections_limit", .gauge, "Connections held at the same time at most.", connectionLimit)
    page.family("linkspan_peers", .gauge, "Addresses that hold a connection.", server.peersNow)
    page.family(
      "linkspan_accept_pauses_total", .counter,
      "Times that accepting paused because descriptors or memory had run out.", server[.exhausted])
    page.family(
      "linkspan_crowded_closes_total", .counter,
      "Answers that closed their connection because many were waiting to be accepted.", server[.crowdedCloses]
    )
    page.family("linkspan_tls_handshakes_total", .counter, "TLS handshakes that ended, by how.")
    page.sample("linkspan_tls_handshakes_total", [("result", "ok")], server[.handshakesDone])
    page.sample("linkspan_tls_handshakes_total", [("result", "failed")], server.handshakesFailed)
    page.family("linkspan_tls_handshakes", .gauge, "TLS handshakes under way.", server.handshakesNow)
    page.family("linkspan_loop_turns_total", .counter, "Times the event loops went around.", server[.turns])
  }

  private func writePublications(to page: inout MetricsPage) {
    page.family(
      "linkspan_reloads_total", .counter, "Times files and certificates were read again, by result.")
    page.sample("linkspan_reloads_total", [("result", "ok")], state.reloadsDone)
    page.sample("linkspan_reloads_total", [("result", "failed")], state.reloadsFailed)
    page.family(
      "linkspan_publications_total", .counter, "What became of hosts' files that were read.")
    for outcome in PublicationOutcome.Kind.allCases {
      page.sample(
        "linkspan_publications_total", [("outcome", outcome.rawValue)],
        state.publications[outcome.rawValue] ?? 0)
    }
    page.family("linkspan_hosts", .gauge, "Hosts served.", state.hosts.count)
    page.family(
      "linkspan_publication_refused", .gauge,
      "1 while the newest files of a host are refused and older ones, or none, are served.")
    let refused = Set(state.readiness.refused.map { $0.host ?? "*" })
    let hosts = state.hosts.prefix(HostLabels.limitCount)
    for host in hosts where !refused.contains(host) {
      page.sample("linkspan_publication_refused", [("host", host)], 0)
    }
    for host in refused.sorted().prefix(HostLabels.limitCount) {
      page.sample("linkspan_publication_refused", [("host", host)], 1)
    }
    page.family(
      "linkspan_sites_unreadable", .gauge,
      "1 while /readyz has a 'problem': files, certificates or a configuration that cannot be read, two folders of one host,"
        + " removals to confirm, another server on the same state or SQLite registry, or a lock file that hides one.",
      state.readiness.problem == nil ? 0 : 1)
    page.family(
      "linkspan_certificate_expiry_timestamp_seconds", .gauge,
      "When the next certificate of a file that TLS shows ends. One behind the server's own that has ended is not counted:"
        + " devices may know another in its place.")
    for certificate in state.certificates {
      page.sample(
        "linkspan_certificate_expiry_timestamp_seconds", [("file", certificate.file)],
        Int(certificate.nextEnd(at: now).milliseconds / 1000))
    }
    page.family(
      "linkspan_signed_file_expiry_timestamp_seconds", .gauge, "When the signature of a signed file ends.")
    for file in state.signedFiles {
      page.sample("linkspan_signed_file_expiry_timestamp_seconds", [("host", file.host)], Int(file.ends))
    }
  }

  private func writeReadiness(to page: inout MetricsPage) {
    page.family(
      "linkspan_ready", .gauge, "1 while /readyz?part=NAME answers 200, for each part that this server has.")
    for part in Readiness.Part.allCases {
      let status = readiness.response(to: "part=\(part.rawValue)").status
      if status != 404 { page.sample("linkspan_ready", [("part", part.rawValue)], status == 200 ? 1 : 0) }
    }
  }

  private func writeProcess(to page: inout MetricsPage) {
    page.family("linkspan_build_info", .gauge, "1, with the version of the program.")
    page.sample("linkspan_build_info", [("version", version)], 1)
    page.family(
      "process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.", Int(started))
    page.family("process_cpu_seconds_total", .counter, "Processor time, user and system.")
    page.sample("process_cpu_seconds_total", [], process.processorSeconds)
    if let bytes = process.residentBytes {
      page.family("process_resident_memory_bytes", .gauge, "Memory in use.", bytes)
    }
    page.family(
      "linkspan_memory_releases_total", .counter, "Times freed memory was given back to the system.",
      server[.memoryReleases])
    if let count = process.openDescriptors {
      page.family("process_open_fds", .gauge, "Open file descriptors.", count)
    }
    page.family("process_max_fds", .gauge, "Open file descriptors at most.", process.descriptorLimit)
  }

  /// `headerDeadline` is `header_deadline`, and `http2Malformed` is `http2_malformed`.
  private static func snakeCase(_ name: String) -> String {
    name.map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
  }

  /// As a decimal number of seconds.
  static func seconds(nanoseconds: Int) -> String {
    let rest = String(nanoseconds % 1_000_000_000)
    return "\(nanoseconds / 1_000_000_000)." + String(repeating: "0", count: 9 - rest.count) + rest
  }
}
