import { hostUrls } from '../config/database-url.js';
import { DatabaseConnectionError } from './database-setup.error.js';
import { isConnectionLost, isConnectionRejected, isTlsFailure, UNKNOWN_HOST_CODES } from './outage.js';

/** Runs work that connects with a setting, such as `DATABASE_URL`. A failure of the connection becomes one sentence. */
export async function withExplainedFailure<T>(setting: string, url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explain(setting, url, error);
  }
}

function explain(setting: string, url: string, error: unknown): unknown {
  const { code = '', message } = error as Error & { readonly code?: string };
  const place = `${hostUrls(url).map(hostAndPort).join(', ')} (${setting})`;
  const isRejected = isConnectionRejected(error);
  const failure = (sentence: string): Error =>
    new DatabaseConnectionError(sentence, { cause: error, mayPass: !isRejected });
  if (UNKNOWN_HOST_CODES.includes(code)) return failure(`The name of the database's host is not known: ${place}.`);
  if (code === 'ECONNREFUSED') return failure(`No database listens at ${place}.`);
  if (isRejected) return failure(`The database at ${place} rejects the connection: ${message}.`);
  if (isTlsFailure(error)) return failure(`The TLS connection to the database at ${place} fails: ${message}.`);
  return isConnectionLost(error) ? failure(`The database at ${place} does not answer: ${message}.`) : error;
}

function hostAndPort(url: string): string {
  const { hostname, port } = new URL(url);
  return `${decodeURIComponent(hostname) || 'localhost'}:${port || '5432'}`;
}
