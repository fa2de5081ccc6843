internal import AppSiteAssociation
internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanSimulator

/// Asks one real server for every host of a story, in the simulation's own thread: it blocks, and the clock of
/// the simulation stands still meanwhile.
struct LiveTransport {
  let address: SocketAddress
  let trust: TLSTrust

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
