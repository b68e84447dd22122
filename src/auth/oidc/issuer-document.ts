import { DomainError } from '../../http/errors/domain-error.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const RETRY_AFTER_SECONDS = 5;

/** The answer for whoever needs the issuer while it cannot be asked: its absence never lets anybody in. */
export const issuerUnavailable = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The issuer of identity tokens cannot be reached.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });

/**
 * Reads a JSON document of the issuer. Refuses with `unavailable` what is not 200, larger than 256 KB, slower than 5 s,
 * redirected (it would move the trust to whoever is redirected to), or not JSON.
 */
export async function readIssuerDocument(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`${url} answered ${response.status}.`);
    }
    return JSON.parse(await readBounded(response)) as unknown;
  } catch (cause) {
    throw issuerUnavailable(cause);
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`${response.url} is larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
