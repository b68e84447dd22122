import { isUtf8 } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type EmitterWebhookEvent, type EmitterWebhookEventName, Webhooks } from '@octokit/webhooks';

export type WebhookEventName = EmitterWebhookEventName;

/** A payload by GitHub's description of its event, read as a stranger's: any member may lack, and any value may be another. */
export type WebhookPayload<Name extends WebhookEventName> = Untrusted<EmitterWebhookEvent<Name>['payload']>;

/** The members of an object, or of all members of a union, none of which is certain to be there or to be as described. */
type Untrusted<T> = [Extract<T, object>] extends [never]
  ? unknown
  : [Extract<T, readonly unknown[]>] extends [never]
    ? { readonly [Key in KeysOf<T>]?: Untrusted<MemberOf<T, Key>> }
    : unknown;
type KeysOf<T> = T extends object ? keyof T : never;
type MemberOf<T, Key> = T extends object ? (Key extends keyof T ? T[Key] : never) : never;

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/**
 * Whether deliveries were signed with the app's secret, over exactly the bytes that came, in constant time.
 * Source: GitHub, "Validating webhook deliveries".
 */
export class WebhookSignatures {
  /** Of the secret that was used last: the set-up may give another while the service runs. */
  #last: { readonly secret: string; readonly webhooks: Webhooks } | null = null;

  async isSigned(body: Buffer, signature: string | undefined, secret: string | undefined): Promise<boolean> {
    if (!signature || !secret) return false;
    // The library verifies a text. To make one of bytes that are no UTF-8 would alter them.
    if (body.length === 0 || !isUtf8(body)) return this.isSignedPassing([body], signature, secret);
    return this.webhooksOf(secret).verify(body.toString('utf8'), signature);
  }

  /** The same of a body that passes by and is held by nobody. It is read to its end in any case: the sender listens only then. */
  async isSignedPassing(
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    signature: string | undefined,
    secret: string | undefined,
  ): Promise<boolean> {
    const [, hex] = SIGNATURE.exec(signature ?? '') ?? [];
    const hmac = hex !== undefined && secret ? createHmac('sha256', secret) : null;
    for await (const chunk of body) hmac?.update(chunk);
    return hmac !== null && hex !== undefined && timingSafeEqual(hmac.digest(), Buffer.from(hex, 'hex'));
  }

  private webhooksOf(secret: string): Webhooks {
    if (this.#last?.secret !== secret) this.#last = { secret, webhooks: new Webhooks({ secret }) };
    return this.#last.webhooks;
  }
}
