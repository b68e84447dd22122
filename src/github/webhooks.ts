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

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/**
 * Verifies in constant time that deliveries were signed with the app's secret, over exactly the received bytes.
 * Source: GitHub, "Validating webhook deliveries".
 */
export class WebhookSignatures {
  /** The verifier for the last used secret. The set-up may change the secret while the service runs. */
  #verifier: { readonly secret: string; readonly webhooks: Webhooks } | null = null;

  async verifySignature(body: Buffer, signature: string | undefined, secret: string | undefined): Promise<boolean> {
    if (!signature || !secret) return false;
    // The library verifies text. Decoding bytes that are not UTF-8 would change them.
    if (body.length === 0 || !isUtf8(body)) return this.verifyStreamSignature([body], signature, secret);
    return this.getVerifier(secret).verify(body.toString('utf8'), signature);
  }

  /**
   * Verifies a streamed body without holding it in memory. Reads it to its end in any case, because the sender reads the
   * response only then.
   */
  async verifyStreamSignature(
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    signature: string | undefined,
    secret: string | undefined,
  ): Promise<boolean> {
    const [, hex] = SIGNATURE.exec(signature ?? '') ?? [];
    const hmac = hex !== undefined && secret ? createHmac('sha256', secret) : null;
    for await (const chunk of body) hmac?.update(chunk);
    return hmac !== null && hex !== undefined && timingSafeEqual(hmac.digest(), Buffer.from(hex, 'hex'));
  }

  private getVerifier(secret: string): Webhooks {
    if (this.#verifier?.secret !== secret) this.#verifier = { secret, webhooks: new Webhooks({ secret }) };
    return this.#verifier.webhooks;
  }
}
