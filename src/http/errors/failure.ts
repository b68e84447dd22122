import { HttpException, HttpStatus } from '@nestjs/common';
import { isConnectionLost } from './connection-lost.js';
import { DomainError } from './domain-error.js';
import { UnforeseenFailure } from './unforeseen-failure.js';

/** What a caller is told when a request fails. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `defect`: nobody foresaw it, and somebody must act. `outage`: something that the request needs is away. */
  readonly fault: 'caller' | 'outage' | 'defect';
}

const SENTENCES: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  401: 'Authentication is required.',
  403: 'This is not allowed.',
  404: 'Not found.',
  408: 'The request took too long to arrive.',
  413: 'The request is too large.',
  414: 'The URL is too long.',
  415: 'The body is of a type that is not accepted here.',
  431: 'The headers of the request are too large.',
};

const RECONNECT_SECONDS = 5;
const UNFORESEEN = 500;

/**
 * Turns whatever a request died of into its answer. Only sentences that were written for callers pass: those of
 * `DomainError`. A framework's own may quote the request or the code, so each of its statuses has a sentence here.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof DomainError) {
    const { status, message, headers } = error;
    return { status, message, headers, fault: 'caller' };
  }
  if (error instanceof UnforeseenFailure) {
    const behind = failureOf(error.cause);
    return behind.status === UNFORESEEN ? { ...behind, message: error.message } : behind;
  }
  if (isConnectionLost(error)) {
    const headers = { 'Retry-After': String(RECONNECT_SECONDS) };
    return {
      status: 503,
      message: 'What this request needs cannot be reached; try again soon.',
      headers,
      fault: 'outage',
    };
  }
  const status = statusOf(error);
  if (status >= 400 && status < 500) {
    return { status, message: SENTENCES[status] ?? 'The request is refused.', headers: {}, fault: 'caller' };
  }
  return {
    status: UNFORESEEN,
    message: 'Something went wrong; the request id names it in the log.',
    headers: {},
    fault: 'defect',
  };
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  return isFastifyError(error) ? error.statusCode : HttpStatus.INTERNAL_SERVER_ERROR;
}

/** By its code: a status on an error of any other library speaks of that library's business, not of this request. */
function isFastifyError(error: unknown): error is { readonly statusCode: number } {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  return typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number';
}
