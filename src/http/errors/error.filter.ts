import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, HttpStatus } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { RouteConfig } from '@nestjs/platform-fastify';
import { isConnectionLost } from '../../database/outage.js';
import type { OutageWatch } from '../../observability/outage-watch.js';
import { DomainError, UnexpectedError } from './domain-error.js';

/** The answer to a failed request. */
interface ErrorResponse {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * `defect`: an unexpected error, an operator must act. `outage`: a service that the request needs is not reachable.
   */
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
const UNEXPECTED_STATUS = 500;

/**
 * Converts any error into an answer. Only messages of `DomainError` and `UnexpectedError` are written for callers.
 * Messages of a framework may quote the request or the code, so each of its statuses has its own sentence here.
 */
export function toErrorResponse(error: unknown): ErrorResponse {
  if (error instanceof DomainError) {
    const { status, message, headers } = error;
    return { status, message, headers, fault: 'caller' };
  }
  if (error instanceof UnexpectedError) {
    const causeResponse = toErrorResponse(error.cause);
    return causeResponse.status === UNEXPECTED_STATUS ? { ...causeResponse, message: error.message } : causeResponse;
  }
  if (isConnectionLost(error)) {
    const headers = { 'Retry-After': String(RECONNECT_SECONDS) };
    return {
      status: 503,
      message: 'A service that this request needs cannot be reached. Try again soon.',
      headers,
      fault: 'outage',
    };
  }
  const status = getStatus(error);
  if (status >= 400 && status < 500) {
    return { status, message: SENTENCES[status] ?? 'The request is refused.', headers: {}, fault: 'caller' };
  }
  return {
    status: UNEXPECTED_STATUS,
    message: 'An internal error occurred. The request id identifies it in the log.',
    headers: {},
    fault: 'defect',
  };
}

function getStatus(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  return isFastifyError(error) ? error.statusCode : HttpStatus.INTERNAL_SERVER_ERROR;
}

/** Recognizes Fastify errors by their code. A status on an error of another library is unrelated to this request. */
function isFastifyError(error: unknown): error is { readonly statusCode: number } {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  return typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number';
}

/**
 * Sends every error as `{error}`, or redirects a browser on a route with a page for errors. Logs unexpected errors in full with the
 * request id. The outage watch logs an outage once. Each request that fails during the outage is logged without a stack.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** Null until the application is created. */
  outages: OutageWatch | null = null;

  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Answers an error. Also used for errors before routing, which no Nest filter sees. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const response = toErrorResponse(error);
    const { status, message, headers, fault } = response;
    if (fault === 'defect') this.log.error({ requestId: request.id, err: error }, 'request failed');
    if (fault === 'outage') this.outages?.note(request.id, error);
    if (reply.raw.headersSent) {
      // A part of the answer is already sent. Closing the connection shows that it is incomplete.
      reply.raw.destroy();
      return;
    }
    const page = errorRedirect(request, response);
    if (page !== null) {
      reply.header('Cache-Control', 'no-store').redirect(page, HttpStatus.FOUND);
      return;
    }
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    reply.status(status).type('application/json; charset=utf-8').send({ error: message });
  }
}

/** The answers to errors of Node's HTTP parser, by code: https://nodejs.org/api/http.html#event-clienterror */
const PARSER_ERRORS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};
const MALFORMED = [400, 'The request is not well-formed HTTP.'] as const;

/** Answers a request that Node could not parse, in the format of every other error, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // A lost connection cannot be answered. If bytes were sent before, an answer could end up inside another one.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, message] = PARSER_ERRORS[error.code ?? ''] ?? MALFORMED;
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

declare module 'fastify' {
  interface FastifyContextConfig {
    errorPage?: string;
  }
}

/**
 * Redirects browsers to a page of the service if the route fails, because a user would see `{error}` as a page.
 * Callers that do not prefer HTML get the usual response.
 */
export const RedirectErrorsTo = (page: string): MethodDecorator => RouteConfig({ errorPage: page });

/** The notices of errors without an error code. */
const NOTICE_BY_STATUS: Readonly<Record<number, string>> = { 400: 'invalid', 429: 'rate_limited', 503: 'unavailable' };

/** Returns the target of the redirect, with the cause as the name of a notice. Null if the caller gets the usual response. */
function errorRedirect(
  request: FastifyRequest,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
): string | null {
  const page = request.routeOptions.config.errorPage;
  if (page === undefined || !prefersHtml(request.headers.accept)) return null;
  return `${page}?notice=${headers['X-Error-Code'] ?? NOTICE_BY_STATUS[status] ?? 'failed'}`;
}

/** Returns whether the caller prefers HTML to JSON (RFC 9110, § 12.5.1). One that accepts everything does not. */
export function prefersHtml(accept = '*/*'): boolean {
  const weights = new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, weight === undefined ? 1 : Number(weight.slice(2)) || 0] as const;
    }),
  );
  const getWeight = (...ranges: readonly string[]): number =>
    ranges.map((range) => weights.get(range)).find((weight) => weight !== undefined) ?? 0;
  return getWeight('text/html', 'text/*', '*/*') > getWeight('application/json', 'application/*', '*/*');
}
