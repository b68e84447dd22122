import { isUtf8 } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type EmitterWebhookEvent, type EmitterWebhookEventName, Webhooks } from '@octokit/webhooks';

export type WebhookEventName = EmitterWebhookEventName;

/** A payload with the members that GitHub documents for its event. Any member may be missing or have another type. */
export type WebhookPayload<Name extends WebhookEventName> = Untrusted<EmitterWebhookEvent<Name>['payload']>;

/** The members of an object, or of all members of a union, each optional and of unknown content. */
type Untrusted<T> = [Extract<T, object>] extends [never]
  ? unknown
  : [Extract<T, readonly unknown[]>] extends [never]
    ? { readonly [Key in KeysOf<T>]?: Untrusted<MemberOf<T, Key>> }
    : unknown;
type KeysOf<T> = T extends object ? keyof T : never;
type MemberOf<T, Key> = T extends object ? (Key extends keyof T ? T[Key] : never) : never;

/** Excludes the empty secret, because any client can sign with it. */
const usable = (secrets: readonly string[]): readonly string[] => secrets.filter((secret) => secret !== '');

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/**
 * Verifies in constant time that deliveries were signed with a secret of the app, over exactly the received bytes. While the secret is
 * changed, two secrets are valid. Source: GitHub, "Validating webhook deliveries".
 */
export class WebhookSignatures {
  /** A verifier for each used secret. The set-up may change the secret while the service runs. */
  readonly #verifiers = new Map<string, Webhooks>();

  async verifySignature(body: Buffer, signature: string | undefined, secrets: readonly string[]): Promise<boolean> {
    if (!signature) return false;
    // The library verifies text. Decoding bytes that are not UTF-8 would change them.
    if (body.length === 0 || !isUtf8(body)) return this.verifyStreamSignature([body], signature, secrets);
    const text = body.toString('utf8');
    for (const secret of usable(secrets)) if (await this.getVerifier(secret).verify(text, signature)) return true;
    return false;
  }

  /**
   * Verifies a streamed body without holding it in memory. Reads it to its end in any case, because the sender reads the
   * response only then.
   */
  async verifyStreamSignature(
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    signature: string | undefined,
    secrets: readonly string[],
  ): Promise<boolean> {
    const [, hex] = SIGNATURE.exec(signature ?? '') ?? [];
    const hmacs = hex === undefined ? [] : usable(secrets).map((secret) => createHmac('sha256', secret));
    for await (const chunk of body) for (const hmac of hmacs) hmac.update(chunk);
    return hmacs.some((hmac) => timingSafeEqual(hmac.digest(), Buffer.from(hex ?? '', 'hex')));
  }

  private getVerifier(secret: string): Webhooks {
    const verifier = this.#verifiers.get(secret) ?? new Webhooks({ secret });
    this.#verifiers.set(secret, verifier);
    return verifier;
  }
}
