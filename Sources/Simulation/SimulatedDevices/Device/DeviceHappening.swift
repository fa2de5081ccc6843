internal import AssociatedDomains
package import LinkspanCore
internal import LinkspanSpecification

/// What happened on a device about its apps and their entries.
package enum DeviceHappening: Happening {
  case installed(AppBuild, isUpdate: Bool)
  case skipped(SkippedEntry)
  case launched(app: String)
  case deleted(app: String)
  case rebooted
  case chose(browser: Bool, host: String)
  case checked(EntryCheck)
  /// The app had gone, or had come again, while the question was away.
  case droppedAnswer(AssociationRecord.Key)
  case crashed(Daemon.Moment, AssociationRecord.Key)
  case setClock(forward: Duration)
  /// It fetched a signed file of iOS 8.
  case tookContinuationFile(host: String, apps: [String], refusal: String?)

  package var kind: String {
    switch self {
    case .installed(_, let isUpdate): isUpdate ? "update" : "install"
    case .skipped: "skip"
    case .launched: "launch"
    case .deleted: "delete"
    case .rebooted: "reboot"
    case .chose: "choose"
    case .checked: "check"
    case .droppedAnswer: "drop-answer"
    case .crashed: "crash"
    case .setClock: "clock-step"
    case .tookContinuationFile: "continuation-file"
    }
  }

  package var fields: [(String, JSON)] {
    switch self {
    case .installed(let build, _):
      [("app", .string(build.identifier)), ("build", .string(build.kind.rawValue))]
    case .skipped(let entry):
      [
        ("app", .string(entry.app)), ("entry", .string(entry.text)),
        ("why", .string(entry.obstacle.reason)),
      ]
    case .launched(let app), .deleted(let app): [("app", .string(app))]
    case .rebooted: []
    case .chose(let browser, let host):
      [("opens", .string(browser ? "browser" : "app")), ("host", .string(host))]
    case .checked(let check): check.fields
    case .droppedAnswer(let key): [("app", .string(key.app)), ("entry", .string(key.entry))]
    case .crashed(let moment, let key):
      [("when", .string(moment.rawValue)), ("entry", .string(key.entry))]
    case .setClock(let forward): [("forward_s", .int(Int(forward.components.seconds)))]
    case .tookContinuationFile(let host, let apps, let refusal):
      [("file_of", .string(host)), ("apps", .array(apps.map(JSON.string))), ("refused", .init(refusal))]
    }
  }

  package var usualProvenance: Provenance? {
    switch self {
    case .installed(_, let isUpdate): Provenance(isUpdate ? ["V1", "V3"] : ["V1"], .documented)
    case .launched: Provenance(citing: ["V9"])
    case .rebooted: Provenance(citing: ["V1"], atMost: .observed)
    case .chose: Provenance(citing: ["section 10 row 6"])
    // That everything known is forgotten, and that an answer for an app that has gone is not kept: ours.
    case .deleted, .droppedAnswer: Provenance(citing: ["section 5"], atMost: .inferred)
    case .skipped, .checked, .crashed, .setClock, .tookContinuationFile: nil
    }
  }
}

/// A check of an entry that has ended.
package struct EntryCheck: Sendable {
  /// What the device knows since.
  package var record: AssociationRecord
  var reason: CheckReason
  package var route: FetchRoute
  var url: String

  /// The digest of the file that it brought, or that is still good; nil when something went wrong.
  package var file: String? { record.problem == nil ? record.file?.digest : nil }

  /// When the next one is, since the story began.
  package var next: Duration { record.nextCheck ?? .zero }

  fileprivate var fields: [(String, JSON)] {
    [
      ("app", .string(record.app)), ("entry", .string(record.domain.canonicalText)),
      ("because", .string(reason.rawValue)), ("route", .string(route.name)), ("url", .string(url)),
      ("site", .string(record.siteApproval.rawValue)), ("file", .init(file)),
      ("problem", .init(record.problem?.reason)), ("retries", .int(record.retries)),
      ("next_check_ms", .int(Int(next.wholeMilliseconds))),
    ]
  }
}
