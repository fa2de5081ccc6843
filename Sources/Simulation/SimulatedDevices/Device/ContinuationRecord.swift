package import AppSiteAssociation
import AssociatedDomains
internal import AssociationDelivery
package import Handoff
import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanSpecification

/// What a device of the iOS 8 period knows about a host's signed file.
struct ContinuationRecord: Sendable {
  /// The apps that may continue the host's pages; empty where the file was not taken.
  package var apps: [String] = []
  /// The name and the reason of what went wrong; nil for a file that was taken.
  var refusal: ContinuationFile.Refusal?
}

/// What keeps an app of the iOS 8 period from a page besides the file's signature.
package enum ContinuationGap: String, Sendable, CaseIterable {
  case noAnswer = "no-answer"
  case notFetched = "not-fetched"
  case appNotNamed = "app-not-named"

  /// The name for a host's answer other than 200.
  static func name(ofStatus status: Int) -> String { "status-\(status)" }

  /// Whether a text is one of the names, or that of a status.
  package static func isName(_ text: String) -> Bool {
    Self(rawValue: text) != nil || (200...999).contains { text == name(ofStatus: $0) }
  }
}

extension OSVersion {
  /// iOS 8 and OS X 10.10 read signed files with `activitycontinuation`, and no `applinks` (HO9).
  var readsContinuationFiles: Bool {
    switch platform {
    case .iOS: major == 8
    case .macOS: major == 10 && minor == 10
    default: false
    }
  }
}

extension SimulatedDevice {
  /// Fetches the signed files of an app's `activitycontinuation` entries from the hosts themselves (HO9).
  func fetchContinuationFiles(of build: AppBuild) async {
    guard traits.os.readsContinuationFiles else { return }
    for text in build.entries {
      // What can't be read claims nothing.
      guard let domain = try? AssociatedDomain(asDevicesRead: text),
        domain.service == .activitycontinuation
      else { continue }
      await fetchContinuationFile(domain.host, for: build)
    }
  }

  private func fetchContinuationFile(_ host: String, for build: AppBuild) async {
    var cause = FetchCause(
      "the app with this entry was installed", Provenance(citing: ["HO9"], atMost: .observed))
    cause.lane = "\(build.identifier) activitycontinuation:\(host)"
    let result =
      isOnline
      ? await world.network.ask(
        HTTPRequest(authority: host, target: ContinuationFile.path), by: .device(name: name, os: traits.os),
        FetchOptions(timeout: .seconds(60), cause: cause), lane: "\(name) \(cause.lane)")
      : nil
    var record = ContinuationRecord()
    switch result {
    case nil:
      record.refusal = .init(
        name: ContinuationGap.noAnswer.rawValue, message: "the device was offline.")
    case .failed:
      record.refusal = .init(
        name: ContinuationGap.noAnswer.rawValue, message: "'\(host)' gave no answer.")
    case .answered(let response) where response.status != 200:
      record.refusal = .init(
        name: ContinuationGap.name(ofStatus: response.status),
        message: "'\(host)' answers \(response.status).")
    case .answered(let response):
      do throws(ContinuationFile.Refusal) {
        record.apps = try ContinuationFile(
          response.body, trusting: TrustedAuthorities(pem: world.authorities),
          at: world.start.advanced(by: world.clock.now)
        ).apps
      } catch {
        record.refusal = error
      }
    }
    // While it was away the app may have gone.
    guard apps[build.identifier] != nil else { return }
    continuationFiles[host] = record
    await world.trace.record(
      name,
      DeviceHappening.tookContinuationFile(
        host: host, apps: record.apps, refusal: record.refusal?.name),
      lane: cause.lane, provenance: cause.provenance)
  }

  /// What ties an installed app to a page, as this release decides it.
  package func association(of identifier: String, with page: LinkURL) -> DomainAssociation {
    guard let build = apps[identifier]?.build else { return .unclaimed }
    guard !traits.os.readsContinuationFiles else { return continuationAssociation(of: build, with: page) }
    let verdict = follow(page, .handoff)
    if verdict.app == identifier {
      return .associated(via: Service.applinks.rawValue, certainty: verdict.certainty)
    }
    guard verdict.claimant == identifier else { return .unclaimed }
    // That the choice made for links counts for Handoff as well is inferred.
    let certainty = verdict.step == .userChoice ? verdict.certainty.and(.inferred) : verdict.certainty
    return .refused(name: verdict.step.rawValue, reason: verdict.reason, certainty: certainty)
  }

  private func continuationAssociation(of build: AppBuild, with page: LinkURL) -> DomainAssociation {
    let claims = build.entries.contains { text in
      guard let domain = try? AssociatedDomain(asDevicesRead: text) else { return false }
      return domain.service == .activitycontinuation && domain.host == page.host
    }
    guard claims else { return .unclaimed }
    guard let record = continuationFiles[page.host] else {
      return .refused(
        name: ContinuationGap.notFetched.rawValue, reason: "the file has not been fetched")
    }
    if let refusal = record.refusal {
      // A clause goes on in the sentences around it.
      let clause = refusal.message.hasSuffix(".") ? String(refusal.message.dropLast()) : refusal.message
      return .refused(name: refusal.name, reason: clause)
    }
    return record.apps.contains(build.identifier)
      ? .associated(via: Service.activitycontinuation.rawValue)
      : .refused(
        name: ContinuationGap.appNotNamed.rawValue, reason: "the file does not name '\(build.identifier)'")
  }
}
