package import LinkspanCore
package import SiteInput

extension BundleInput {
  package static func open(_ path: String) throws(LinkspanError) -> BundleInput {
    if path == "-" { throw LinkspanError("an app is not read from standard input.", help: "Name a file.") }
    return try BundleInput(path)
  }
}
