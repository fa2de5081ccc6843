extension PushRegistrar where C == ContinuousClock {
  /// A registrar for an app: on the system's clock, with waits by chance.
  public init(
    service: PushRegistration.Service, transport: any RegistrationTransport, memory: any RegistrationMemory,
    retry: Retry = Retry()
  ) {
    self.init(
      service: service, transport: transport, memory: memory, clock: ContinuousClock(), retry: retry,
      jitter: { .random(in: 0...1) })
  }
}
