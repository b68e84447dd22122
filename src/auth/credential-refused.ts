/** Why a credential did not hold, for the log: the caller learns only that it did not. */
export type RefusalReason =
  | 'malformed'
  | 'other_kind'
  | 'too_long'
  | 'algorithm'
  | 'signature'
  | 'unknown_signing_key'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not_yet_valid'
  | 'issued_at'
  | `claim:${string}`
  | 'unknown_key'
  | 'revoked_key'
  | 'expired_key'
  | 'not_installed'
  | 'no_member';

/** A credential that was presented and did not hold. */
export class CredentialRefused extends Error {
  override readonly name = 'CredentialRefused';

  constructor(
    readonly reason: RefusalReason,
    options?: ErrorOptions,
  ) {
    super(`The credential was refused: ${reason}.`, options);
  }
}
