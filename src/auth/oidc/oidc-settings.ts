/** Whose identity tokens are accepted, and for whom they must have been made. */
export class OidcSettings {
  constructor(
    /** Compared exactly with the `iss` claim, and with what the discovery document says of itself. */
    readonly issuer: string,
    readonly audience: string,
  ) {}
}
