package import PushTerms

extension Registry {
  /// Stores a notification, together with others that wait.
  ///
  /// - Parameter completion: Called when it is durable.
  package func notify(
    _ order: NotificationOrder, _ completion: @escaping Completion<NotificationOrder.Result>
  ) {
    guard changes.add(.notify(order, completion)) else { return completion(.failure(Self.overloaded)) }
  }

  /// Where a sender gets notifications as this registry stores them.
  package func makeDesk(_ environment: PushEnvironment) -> SenderDesk {
    let desk = SenderDesk(environment)
    desks.add(desk)
    return desk
  }

  package func remove(_ desk: SenderDesk) { desks.remove(desk) }
}
