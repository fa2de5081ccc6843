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

extension FetchFailure {
  /// What a client's error means to whoever wanted the file.
  init(_ error: HTTPClientError, limit: Int) {
    switch error.kind {
    case .cannotResolve: self = .unresolvable
    case .timeout: self = .timedOut
    case .refused, .cannotConnect, .connectionLost, .unusableTrust, .unusableRequest:
      self = .unreachable(error.reason)
    case .malformedAnswer: self = .malformed(error.reason)
    case .tooLarge: self = .tooLarge(limitBytes: limit)
    case .tls(let failure):
      switch failure {
      case .expired: self = .certificate(.expired)
      case .wrongName: self = .certificate(.wrongName)
      case .unknownIssuer: self = .certificate(.untrusted)
      case .notYetValid: self = .certificate(.other("not valid yet"))
      case .other(let reason): self = .certificate(.other(reason))
      }
    }
  }
}
