import { createHmac } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import type { WebhookEndpoint } from '../webhook-outbox.js';

/** Headers as in the log of a delivery. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** The result of one attempt to deliver, in the words of GitHub's delivery log. */
export interface PostResult {
  readonly status: string;
  readonly statusCode: number;
  readonly headers: HeaderRecord | null;
  readonly body: string | null;
}

/** The entry in GitHub's log for an app that did not respond in time. */
const TIMED_OUT: PostResult = { status: 'timed out', statusCode: 504, headers: null, body: null };
/** The entry in GitHub's log for an app that could not be reached or closed the connection. */
export const UNREACHABLE: PostResult = { status: 'failed to connect', statusCode: 502, headers: null, body: null };

const STORED_RESPONSE_BYTES = 64 * 1024;

const hmac = (algorithm: 'sha1' | 'sha256', secret: string, body: string): string =>
  `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`;

/** The headers of a delivery. The signatures are of exactly these bytes. */
export function webhookHeaders(
  delivery: { readonly guid: string; readonly event: string; readonly body: string },
  { appId, secret }: WebhookEndpoint,
): HeaderRecord {
  return {
    Accept: '*/*',
    'Content-Type': 'application/json',
    'User-Agent': 'GitHub-Hookshot/5d4c3b2',
    'X-GitHub-Delivery': delivery.guid,
    'X-GitHub-Event': delivery.event,
    // An app has one hook, so the id of the app can be the id of the hook.
    'X-GitHub-Hook-ID': String(appId),
    'X-GitHub-Hook-Installation-Target-ID': String(appId),
    'X-GitHub-Hook-Installation-Target-Type': 'integration',
    'X-Hub-Signature': hmac('sha1', secret, delivery.body),
    'X-Hub-Signature-256': hmac('sha256', secret, delivery.body),
  };
}

/** Posts once; never throws, follows no redirect, and gives up after `timeoutMs` or when `signal` aborts. */
export async function postWebhook(
  url: string,
  webhook: { readonly headers: HeaderRecord; readonly body: string },
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<PostResult> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await exchange(url, webhook, AbortSignal.any([timeout, signal]));
  } catch {
    return timeout.aborted ? TIMED_OUT : UNREACHABLE;
  }
}

function exchange(
  url: string,
  { headers, body }: { readonly headers: HeaderRecord; readonly body: string },
  signal: AbortSignal,
): Promise<PostResult> {
  return new Promise((resolve, reject) => {
    const post = request(url, {
      method: 'POST',
      agent: false, // A connection kept open would keep the app's server from closing.
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      signal,
    });
    post.on('error', reject);
    post.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const statusCode = response.statusCode ?? 0;
        resolve({
          status: statusCode >= 200 && statusCode < 300 ? 'OK' : `Invalid HTTP Response: ${statusCode}`,
          statusCode,
          headers: flattened(response.headers),
          body: Buffer.concat(chunks).subarray(0, STORED_RESPONSE_BYTES).toString('utf8'),
        });
      });
    });
    post.end(body);
  });
}

function flattened(headers: IncomingHttpHeaders): HeaderRecord {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
}
