import type { RequestSample } from '../measuring/load.js';

/** A page of a list and its only correct answer. */
export interface ListSubject {
  readonly path: string;
  readonly cookie: string;
  readonly answer: string;
}

/** Returns a function that creates a request for the same page. */
export const listRequests =
  ({ path, cookie, answer }: ListSubject): (() => RequestSample) =>
  () => ({
    request: `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nAccept: application/json\r\n\r\n`,
    status: 'HTTP/1.1 200 OK',
    answer,
  });
