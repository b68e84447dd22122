import type { ServerResponse } from 'node:http';
import { DomainError } from './errors/domain-error.js';

/** Returns a signal that aborts when the connection closes before the response is complete: its sender does not wait for it any more. */
export function createSenderSignal(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) {
      left.abort(new DomainError('invalid', 'The connection was closed before the answer. Send the request again.'));
    }
  };
  if (response.closed || response.destroyed) abort();
  else response.once('close', abort);
  return left.signal;
}
