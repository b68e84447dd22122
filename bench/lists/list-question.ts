import type { Question } from '../measuring/load.js';

/** A page of a list, and the only answer that is right. */
export interface ListSubject {
  readonly path: string;
  readonly cookie: string;
  readonly answer: string;
}

/** Asks for the same page with each call. */
export const listQuestions =
  ({ path, cookie, answer }: ListSubject): (() => Question) =>
  () => ({
    request: `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nAccept: application/json\r\n\r\n`,
    status: 'HTTP/1.1 200 OK',
    answer,
  });
