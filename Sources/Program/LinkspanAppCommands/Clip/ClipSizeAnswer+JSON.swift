internal import AppBundle
internal import LinkspanCore

extension ClipSizeAnswer {
  /// The answer of `linkspan clip size --json`.
  var json: JSON {
    .object([
      ("type", .string("clip-size")),
      ("minimum_os", .init(rule.release ?? rule.minimumOS.map { "\($0).0" })),
      ("invocation", .string(rule.invocation.rawValue)),
      (
        "variants",
        .array(
          variants.map { variant in
            .object([
              ("name", .string(variant.name)),
              ("universal", .bool(variant.isUniversal)),
              ("devices", .array(variant.devices.map(\.json))),
              ("compressed_bytes", variant.compressed?.json ?? .null),
              ("uncompressed_bytes", variant.uncompressed.json),
              ("limit_bytes", .init(limit(variant))),
              ("verdict", .string(verdict(variant).rawValue)),
              ("error", .init(error(variant))),
            ])
          })
      ),
      (
        "parts",
        .array(
          parts.map { part in
            .object([
              ("kind", .string(part.kind.rawValue)), ("name", .init(part.name)),
              ("file_count", .int(part.fileCount)), ("size_bytes", .int(part.sizeBytes)),
            ])
          })
      ),
      (
        "what_if",
        .array(
          (savings?.levers ?? []).map { lever in
            .object([
              ("lever", .string(lever.name.rawValue)), ("saves_bytes", .int(lever.savesBytes)),
              ("files", .array(lever.files.map(JSON.string))),
            ])
          })
      ),
      ("total_savings_bytes", .init(savings?.totalBytes)),
      ("not_computed", .array(SizeAdvice.all(under: rule).map(\.json))),
      ("against", comparison?.json ?? .null),
      ("findings", .array(findings.map(\.json))),
    ])
  }
}

extension ThinningReport.Device {
  /// The model, and the release where the report has it.
  fileprivate var json: JSON {
    .object([("device", .string(model)), ("os_version", .init(osVersion))])
  }
}
