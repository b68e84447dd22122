import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

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
export function errorRedirect(
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
