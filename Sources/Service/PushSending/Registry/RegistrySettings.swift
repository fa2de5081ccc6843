package import DeviceRegistry
package import LinkspanCore
internal import LinkspanServer
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
package import RegistryServer

/// What `serve` is told about its registry.
package struct RegistrySettings: Hashable, Sendable {
  /// `sqlite:PATH` or `postgres://…`.
  package var address: ServiceAddress
  package var legacyTopic: String?
  package var legacyEnvironment: String?
  package var legacyOpen = false
  /// Devices of one push above which their number has to be confirmed; nil for the usual one.
  package var askAbove: Int?
  /// Days that the journal is kept; nil for the usual ones, and for campaigns for the same.
  package var journalDays: Int?
  package var campaignJournalDays: Int?
  /// Where closed days of the journal go; nil where they are not exported.
  package var journalExport: JournalPlace?

  package init(_ address: ServiceAddress) { self.address = address }

  package var retention: RegistryStore.Retention {
    let usual = RegistryStore.Retention.usual
    func age(_ days: Int?, _ other: Duration) -> Duration { days.map { .seconds($0 * 86_400) } ?? other }
    let transactional = age(journalDays, usual.transactional)
    let campaign = age(campaignJournalDays, journalDays == nil ? usual.campaign : transactional)
    var retention = RegistryStore.Retention(transactional: transactional, campaign: campaign)
    retention.waitsForExport = journalExport != nil
    return retention
  }

  /// - Throws: Options that do not go together.
  package func options() throws(LinkspanError) -> RegistryAPI.Options {
    var options = RegistryAPI.Options()
    if let askAbove { options.askAbove = Int64(askAbove) }
    guard legacyTopic != nil || legacyEnvironment != nil || legacyOpen else { return options }
    guard let topic = legacyTopic else {
      throw .usage("the routes of 2013 need '--legacy-topic', the app's bundle identifier")
    }
    guard PushTopic(topic) != nil else {
      throw .usage("'--legacy-topic': '\(topic)' is not a bundle identifier")
    }
    guard let environment = legacyEnvironment.flatMap({ PushEnvironment(rawValue: $0) }) else {
      throw .usage("'--legacy-environment': expected 'production' or 'sandbox'")
    }
    options.legacy = RegistryAPI.Legacy(topic: topic, environment: environment, isOpen: legacyOpen)
    return options
  }
}
