import AppSiteAssociation
internal import AssociatedDomains
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// What a device may know.
extension Invariant {
  static let records: [Invariant] = [
    Invariant(
      "one-record-a-key", "A device has at most one record for each app and entry.", rules: ["section 5"],
      .documented
    ) { step in
      step.perRecord { device, record in
        device.records.filter { $0.key == record.key }.count > 1 ? "there are several records" : nil
      }
    },
    Invariant(
      "no-record-without-its-app",
      "A device has records only for installed apps and the entries they list.",
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
      "An entry with a mode counts only since iOS 14: 'developer' for a development build on a device in developer "
        + "mode, 'managed' on a managed device, and both together where both apply.",
      rules: ["E13", "E14", "E15"], .documented
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
        return counts && traits.os.readsModes ? nil : "its mode does not apply there"
      }
    },
    Invariant(
      "wildcards-since-9.3", "Before iOS 9.3 wildcard entries are ignored.", rules: ["E5"], .observed
    ) { step in
      step.perRecord { device, record in
        record.domain.isWildcard && !device.traits.os.readsWellKnownAndWildcards
          ? "\(device.traits.os.name) has no wildcards" : nil
      }
    },
    Invariant(
      "approved-means-named", "An association is approved only while a stored file names the app.",
      rules: ["section 5", "J5", "J7"], .observed
    ) { step in
      var files = FileReadings()
      return step.perRecord { device, record in
        guard record.siteApproval == .approved else { return nil }
        guard let body = record.file?.body else { return "it is approved without a file" }
        let matcher = files.matcher(body, device.traits.os)
        return matcher?.applications.contains(exactly: record.app) == true
          ? nil : "it is approved by a file that does not name the app"
      }
    },
    Invariant(
      "no-file-beyond-the-limit", "No stored file is larger than 131,072 bytes.", rules: ["R4"], .documented
    ) { step in
      step.perRecord { _, record in
        guard let count = record.file?.body.count, count > 131_072 else { return nil }
        return "its file has \(count) bytes"
      }
    },
    Invariant(
      "the-file-is-the-hosts-own",
      "Every stored file was published, complete, by the entry's host (for a wildcard: the parent domain).",
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
