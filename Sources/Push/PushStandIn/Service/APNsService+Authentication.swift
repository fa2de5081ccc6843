internal import LinkspanCore

/// Who is asking (push notes, 3).
extension APNsService {
  /// Apple: a key's tokens change at most once in 20 minutes.
  private static let leastTokenAge = Duration.seconds(20 * 60)

  mutating func authenticate(
    _ head: RequestHead, _ connection: inout APNsConnection, at now: WallTime
  ) -> APNsRefusal? {
    if let certificate = connection.certificate { return refusal(of: certificate) }
    guard let text = head.bearerToken else { return APNsRefusal(.missingProviderToken) }
    let token: ProviderTokens.Token
    if let current = connection.token?.token, current.text == text {
      token = current
    } else {
      guard let found = providerTokens.token(text) else { return APNsRefusal(.invalidProviderToken) }
      token = found
    }
    if let environment = token.key.environment, environment != configuration.environment {
      return APNsRefusal(.badEnvironmentKeyIdInToken)
    }
    if token.issuedAt > now.advanced(by: ProviderTokens.greatestSkew) {
      return APNsRefusal(.invalidProviderToken)
    }
    if now > token.issuedAt.advanced(by: ProviderTokens.greatestAge) {
      return APNsRefusal(.expiredProviderToken)
    }
    return bind(token, to: &connection, at: now)
  }

  private func refusal(of certificate: ProviderCertificate) -> APNsRefusal? {
    if !certificate.isUsable { return APNsRefusal(.badCertificate) }
    let environments = certificate.environments
    return environments.isEmpty || environments.contains(configuration.environment)
      ? nil : APNsRefusal(.badCertificateEnvironment)
  }

  /// A connection belongs to a team, to keys related to its first one, and to one token at a time.
  private func bind(
    _ token: ProviderTokens.Token, to connection: inout APNsConnection, at now: WallTime
  ) -> APNsRefusal? {
    // Bound before.
    if let (current, since) = connection.token, current === token, now >= since { return nil }
    if let first = connection.firstKey {
      guard first.team == token.key.team else { return APNsRefusal(.invalidProviderToken) }
      guard token.key.isRelated(to: first) else { return APNsRefusal(.unrelatedKeyIdInToken) }
    }
    if let (current, since) = connection.token, now < since {
      // The clock was set back, so nobody knows how long the token has been in use: its 20 minutes begin anew.
      connection.token = (current, now)
    }
    if let (current, since) = connection.token, current.text != token.text,
      current.key.identifier == token.key.identifier,
      // Either clock may say so: when the tokens were made, and when they came.
      token.issuedAt < current.issuedAt.advanced(by: Self.leastTokenAge),
      now < since.advanced(by: Self.leastTokenAge)
    {
      return APNsRefusal(.tooManyProviderTokenUpdates)
    }
    connection.firstKey = connection.firstKey ?? token.key
    if connection.token?.token.text != token.text {
      connection.token = (token, now)
      connection.judged = nil
    }
    return nil
  }
}
