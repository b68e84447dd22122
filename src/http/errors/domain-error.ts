/** The closed list of expected failures, each with the status that the API answers for it. */
const STATUS_OF_CODE = {
  invalid: 400,
  unauthenticated: 401,
  plan_limit: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_slow: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  unprocessable: 422,
  rate_limited: 429,
  unavailable: 503,
} as const;

export type DomainErrorCode = keyof typeof STATUS_OF_CODE;

export interface DomainErrorOptions extends ErrorOptions {
  /** When asking again makes sense; answered as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Further headers that this failure owes its caller, such as `WWW-Authenticate` on a 401. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure that was foreseen: its message is written for the caller and is shown as it stands. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: DomainErrorCode,
    message: string,
    { retryAfterSeconds, headers = {}, ...options }: DomainErrorOptions = {},
  ) {
    super(message, options);
    this.headers =
      retryAfterSeconds === undefined
        ? headers
        : { ...headers, 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) };
  }

  get status(): number {
    return STATUS_OF_CODE[this.code];
  }
}

/** Of a release that is gone, of another workspace, or of a repository that the person may not read: nobody learns which. */
export const releaseNotFound = (): DomainError =>
  new DomainError('not_found', 'The workspace has no such release, or the person may not read it.');

/** Of a repository that is gone, of another workspace, or that the person may not read: nobody learns which. */
export const repositoryNotFound = (): DomainError => new DomainError('not_found', 'There is no such repository.');

export const appNotInstalled = (): DomainError =>
  new DomainError('conflict', 'The app is not installed for the organization, or suspended.');

/** A failure that nobody foresaw, on a route that has words of its own for one. */
export class UnexpectedError extends Error {
  override readonly name = 'UnforeseenFailure';

  /** The message is shown to the caller; what was behind it is for the log alone, and may turn out to be foreseen. */
  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}
