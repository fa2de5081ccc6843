package import LinkspanDecisions

/// The links of an app that is built with the library, by which the library runs as the app's code.
package struct AppRoutes: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    package var name: String
    /// As in the library: `/recipes/{id:int}`.
    package var template: String
    /// The Handoff type whose `userInfo` has the route's parameters.
    package var activityType: String?
  }

  package var rows: [Row] = []
  /// Custom schemes.
  package var schemes: [String] = []

  /// Where a link leads: a route with its parameters.
  package struct Place: Hashable, Sendable, CustomStringConvertible {
    var route: String
    var values: [String: String]

    /// `recipe id=5`
    package var description: String {
      ([route] + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
    }
  }

  /// - Parameter entries: Of the associated domains; their hosts are the router's.
  package func router(entries: [String]) throws(RouterError) -> LinkspanDecisions.Router<Place> {
    func hosts(_ service: String) -> [String] {
      entries.filter { $0.hasPrefix(service + ":") }.map { entry in
        String(entry.dropFirst(service.count + 1).prefix { $0 != "?" })
      }
    }
    var sources: [LinkSource] = schemes.map { .customScheme($0) }
    if !hosts("applinks").isEmpty { sources.append(.universalLinks(hosts: hosts("applinks"))) }
    if !hosts("appclips").isEmpty { sources.append(.appClip(hosts: hosts("appclips"))) }
    for row in rows {
      if let type = row.activityType { sources.append(.handoff(activityType: type, route: row.name)) }
    }
    return try LinkspanDecisions.Router(
      sources: sources, clashes: .firstDeclaredWins,
      routes: rows.map { row in
        Route(row.name, row.template) {
          Place(route: row.name, values: $0.values)
        } write: { place in
          place.route == row.name ? place.values.mapValues { $0 } : nil
        }
      })
  }

  /// What keeps a router from being built; nil when nothing does.
  var problem: String? {
    do throws(RouterError) {
      _ = try router(entries: [])
      return nil
    } catch {
      return error.problems.first?.description
    }
  }
}
