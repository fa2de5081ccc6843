package import LinkspanCore
package import SiteInput

extension BundleInput {
  package static func open(_ path: String) throws(LinkspanError) -> BundleInput {
    try BundleInput(path)
  }
}
