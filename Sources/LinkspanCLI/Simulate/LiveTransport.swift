internal import AppSiteAssociation
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanSimulator

/// Asks one real server for every host of a story, in the simulation's own thread: it blocks, and the clock of
/// the simulation stands still meanwhile.
struct LiveTransport {
  let address: SocketAddress
  let trust: TLSTrust

  /// Ours: a server that is there takes a connection at once.
  private static let patience = Duration.seconds(5)

  /// - Throws: When nobody listens at the address, so that the story would tell of that and nothing else.
  func probe() throws(CommandError) {
    do throws(HTTPClientError) {
      try HTTPClient.reach(address, within: Self.patience)
    } catch {
      throw CommandError(
        "the live server cannot be reached: \(error.reason).",
        help: "Start it first, with 'linkspan serve' for example, or name the address where it listens.")
    }
  }

  var transport: Transport {
    { request, asker, options in
      var request = request
      request.fields["User-Agent"] = asker.userAgent
      let client = HTTPClient(
        connectTo: address, trust: options.acceptsAnyCertificate ? .anyone : trust, deadline: options.timeout)
      do throws(HTTPClientError) {
        return .answered(try client.send(request))
      } catch {
        return .failed(FetchFailure(error, limit: client.limits.bodyBytes))
      }
    }
  }
}
