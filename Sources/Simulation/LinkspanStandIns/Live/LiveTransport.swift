internal import AppSiteAssociation
internal import AssociationDelivery
internal import HTTPClientEngine
internal import HTTPEngine
package import HTTPTransport
package import LinkspanCore
internal import LinkspanSimulator
package import SimulatedDevices
internal import SiteInput

/// Asks one real server for every host of a story, in the simulation's own thread: it blocks, and the clock of
/// the simulation stands still meanwhile.
package struct LiveTransport {
  private let address: SocketAddress
  private let trust: TLSTrust
  private let believing: HTTPClient
  /// For `?mode=developer`, which takes any certificate.
  private let believingAnyone: HTTPClient

  /// Ours: a server that is there takes a connection at once.
  private static let patience = Duration.seconds(5)

  package init(address: SocketAddress, trust: TLSTrust) {
    self.address = address
    self.trust = trust
    var configuration = HTTPClientConfiguration(trust: trust)
    configuration.connectTo = address
    configuration.demandsAsApple = true
    believing = HTTPClient(configuration)
    configuration.trust = .anyone
    believingAnyone = HTTPClient(configuration)
  }

  /// - Throws: When nobody listens at the address or nobody can be trusted, so that the story would tell of that
  ///   and nothing else.
  package func probe() throws(LinkspanError) {
    do throws(TLSError) {
      try trust.check()
    } catch {
      throw LinkspanError("no server can be trusted: \(error).", help: "Name the authorities with '--ca'.")
    }
    do throws(HTTPClientError) {
      try HTTPClient.reach(address, within: Self.patience)
    } catch {
      throw LinkspanError(
        "the live server cannot be reached: \(error.reason).",
        help: "Start it first, with 'linkspan serve' for example, or name the address where it listens.")
    }
  }

  package var transport: SimulatedDevices.Transport {
    { [believing, believingAnyone] request, client, options in
      var request = request
      request.fields["User-Agent"] = client.userAgent
      let client = options.acceptsAnyCertificate ? believingAnyone : believing
      do throws(HTTPClientError) {
        return .answered(try client.send(request, deadline: options.timeout))
      } catch {
        return .failed(FetchFailure(error, limit: client.configuration.messages.bodyBytes))
      }
    }
  }
}
