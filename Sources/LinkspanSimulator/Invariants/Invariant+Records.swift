import AppSiteAssociation
import LinkspanCore

/// What a device may know.
extension Invariant {
  static let records: [Invariant] = [
    Invariant(
      "one-record-a-key", "A device has at most one record for an app and an entry.", rules: ["section 5"],
      .documented
    ) { step in
      step.perRecord { device, record in
        device.records.filter { $0.key == record.key }.count > 1 ? "there are several" : nil
      }
    },
    Invariant(
      "no-record-without-its-app",
      "A device has records only for apps that are installed and entries that these list.",
      rules: ["section 1", "V1"], .documented
    ) { step in
      if case .tap = step.action { return [] }
      return step.perDevice { _, device in
        guard !device.records.isEmpty else { return [] }
        let claimed = Set(
          device.claims.map {
            AssociationRecord.Key(app: $0.build.identifier, entry: $0.domain.canonicalText)
          })
        return device.records.filter { !claimed.contains($0.key) }.map {
          "\(device.traits.name) \($0.key.lane): no installed app lists it"
        }
      }
    },
    Invariant(
      "a-mode-needs-its-device",
      "An entry with a mode counts since iOS 14: developer for a development build on a device with developer mode, "
        + "managed on a managed one, and both where both are.", rules: ["E13", "E14", "E15"], .documented
    ) { step in
      step.perRecord { device, record in
        guard let mode = record.domain.mode else { return nil }
        let traits = device.traits
        let build = device.apps.first { $0.identifier == record.app }
        let isDeveloper = traits.isDeveloper && build?.kind == .development
        let counts =
          switch mode {
          case .developer: isDeveloper
          case .managed: traits.isManaged
          case .developerAndManaged: isDeveloper && traits.isManaged
          }
        return counts && traits.os.readsModes ? nil : "its mode does not count there"
      }
    },
    Invariant(
      "wildcards-since-9.3", "Before iOS 9.3 no wildcard counts.", rules: ["E5"], .observed
    ) { step in
      step.perRecord { device, record in
        record.domain.isWildcard && !device.traits.os.readsWellKnownAndWildcards
          ? "\(device.traits.os.name) has no wildcards" : nil
      }
    },
    Invariant(
      "approved-means-named", "An association is approved only while a file is stored that names the app.",
      rules: ["section 5", "J5", "J7"], .documented
    ) { step in
      var files = FileReadings()
      return step.perRecord { device, record in
        guard record.siteApproval == .approved else { return nil }
        guard let body = record.file?.body else { return "it is approved without a file" }
        let matcher = files.matcher(body, device.traits.os)
        return matcher?.applications.contains(record.app) == true
          ? nil : "it is approved by a file that does not name the app"
      }
    },
    Invariant(
      "no-file-beyond-the-limit", "No file of more than 131 072 bytes is stored.", rules: ["R4"], .documented
    ) { step in
      step.perRecord { _, record in
        guard let count = record.file?.body.count, count > 131_072 else { return nil }
        return "its file has \(count) bytes"
      }
    },
    Invariant(
      "the-file-is-the-hosts-own",
      "What is stored was published whole by the entry's host, a wildcard's by the parent.",
      rules: ["E6", "E7", "T2"], .documented
    ) { step in
      guard !step.story.cdnSwitches.followsRedirectInsideDomain else { return [] }
      return step.perRecord { _, record in
        guard let body = record.file?.body else { return nil }
        let isOwn = step.published[record.domain.host]?.contains { Self.isSame($0, body) } ?? false
        return isOwn ? nil : "'\(record.domain.host)' never published its file"
      }
    },
  ]

  /// White space at the end does not show when it is cut.
  private static func isSame(_ whole: [UInt8], _ part: [UInt8]) -> Bool {
    whole == part
      || (whole.starts(with: part)
        && whole.dropFirst(part.count).allSatisfy { [0x20, 9, 10, 13].contains($0) })
  }
}

extension StepRecord {
  fileprivate func perRecord(_ check: (DeviceSnapshot, AssociationRecord) -> String?) -> [String] {
    // While links are followed nothing changes but the user's choice.
    if case .tap = action { return [] }
    return after.flatMap { device in
      device.records.compactMap { record in
        check(device, record).map {
          "\(device.traits.name), \(record.app), '\(record.domain.canonicalText)': \($0)"
        }
      }
    }
  }
}
