package import DeviceRegistry
internal import HTTPTransport
package import LinkspanCore
package import LinkspanCrypto
internal import LinkspanFiles
internal import PushProvider
package import PushTerms
internal import ServiceConfiguration

/// The sender of one environment in a simulation: the loop of ``PushSender``, turned by a scheduler.
package final class SteppedSender {
  private var run: SenderRun

  /// - Parameters:
  ///   - key: Signs the provider tokens of the team.
  ///   - report: Takes what an operator should know.
  /// - Throws: That team or key identifier are none.
  package init(
    _ registry: Registry, _ environment: PushEnvironment, team: String, keyIdentifier: String,
    key: P256PrivateKey, _ surroundings: SenderSurroundings,
    report: @escaping @Sendable (LinkspanError) -> Void
  ) throws(LinkspanError) {
    let identity: ProviderKeyIdentity
    do throws(ProviderTokenError) {
      identity = try ProviderKeyIdentity(team: team, key: keyIdentifier)
    } catch {
      throw LinkspanError(error.message + ".")
    }
    let account = SenderAccount(
      signer: ProviderTokenSigner(identity, key: key), trust: .system,
      place: .init(scheme: "https", authority: environment.host))
    let settings = SenderSettings(keys: [SenderKey(file: "", identifier: keyIdentifier, team: team)])
    run = SenderRun(PushSender(registry, environment, settings, account, surroundings, report: report))
  }

  /// What it has done.
  package var counters: SenderCounters { run.sender.counters }

  /// Once around the loop.
  package func turn() { run.turn() }

  /// Whether it holds pushes, or outcomes that are not stored yet.
  package var isBusy: Bool { run.underWay > 0 || !run.pending.isEmpty }

  /// Ends as a server does that is told to.
  package func stop() {
    run.sender.askToStop()
    run.stop()
  }
}
