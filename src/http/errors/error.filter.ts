import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { types } from 'node:util';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, HttpStatus } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { OutageWatch } from '../../observability/outage-watch.js';
import { DomainError, UnexpectedError } from './domain-error.js';

const LOST_CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);

/**
 * SQLSTATEs that say that Postgres is not there to be asked: connection exceptions (class 08), too many connections
 * (53300), shutting down, crashed or starting (57P01–57P03). Or that it did not come to answer in the time that the service
 * gives it: for a statement (57014), for a lock (55P03), or in a transaction whose next statement came too late (25P03).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const LOST_CONNECTION_SQLSTATE = /^(?:08\w{3}|53300|57P0[1-3]|57014|55P03|25P03)$/;

/** Beginnings of what `pg` and its pool say where they give no code. */
const LOST_CONNECTION_SENTENCES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
];

const MAX_LAYERS = 5;

/** Whether a request died because the database or another service could not be reached, however libraries wrapped it. */
export function isConnectionLost(error: unknown): boolean {
  let layer = error;
  for (let depth = 0; depth < MAX_LAYERS && types.isNativeError(layer); depth++) {
    if (saysSo(layer)) return true;
    layer = layer.cause ?? ('driverError' in layer ? layer.driverError : undefined);
  }
  return false;
}

function saysSo(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    LOST_CONNECTION_CODES.has(code) ||
    LOST_CONNECTION_SQLSTATE.test(code) ||
    LOST_CONNECTION_SENTENCES.some((sentence) => error.message.startsWith(sentence))
  );
}

/** What a caller is told when a request fails. */
export interface ErrorResponse {
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
export function toErrorResponse(error: unknown): ErrorResponse {
  if (error instanceof DomainError) {
    const { status, message, headers } = error;
    return { status, message, headers, fault: 'caller' };
  }
  if (error instanceof UnexpectedError) {
    const behind = toErrorResponse(error.cause);
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

/**
 * Answers every failure as `{error}`, and writes those that nobody foresaw into the log whole, with the request's id. An
 * outage is told once, by its watch: each request that it costs is a line without a stack.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** Null until the parts of the application are there. */
  outages: OutageWatch | null = null;

  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Also for what fails before a route is found, which no filter of Nest's ever sees. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { status, message, headers, fault } = toErrorResponse(error);
    if (fault === 'defect') this.log.error({ requestId: request.id, err: error }, 'request failed');
    if (fault === 'outage') this.outages?.note(request.id, error);
    if (reply.raw.headersSent) {
      // Half an answer is out: cutting it off is the only way left to say that it is not whole.
      reply.raw.destroy();
      return;
    }
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    reply.status(status).type('application/json; charset=utf-8').send({ error: message });
  }
}

/** What Node's HTTP parser gives up on, by its code: https://nodejs.org/api/http.html#event-clienterror */
const ANSWERS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};
const MALFORMED = [400, 'The request is not well-formed HTTP.'] as const;

/** Answers a request that never became one, in the form of every other failure, and ends its connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // A connection that is gone has no room for an answer, and one that was answered on may be amid the next.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, message] = ANSWERS[error.code ?? ''] ?? MALFORMED;
  const body = JSON.stringify({ error: message });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Content-Security-Policy: default-src 'none'",
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
