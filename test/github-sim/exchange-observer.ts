/** A complete request with its response, as the validator of GitHub's description needs it. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined without a body. */
  readonly requestBody: unknown;
  readonly status: number;
  readonly responseBody: unknown;
}

/** Called after each answer of the REST API (never for the web pages of the OAuth flow). */
export type ExchangeObserver = (exchange: Exchange) => void;
