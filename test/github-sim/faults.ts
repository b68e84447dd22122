export interface RestRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
}

interface FaultBase {
  /** Which requests it befalls: a pattern over `METHOD /path?query`, or a predicate; any request where it is left out. */
  readonly match?: RegExp | ((request: RestRequest) => boolean);
  /** How many requests it befalls; one unless told. */
  readonly times?: number;
}

export type FaultSpec = FaultBase &
  (
    | {
        readonly kind: '5xx';
        readonly status?: number;
        /** Seconds of the `Retry-After` header; without a value there is no header. */
        readonly retryAfterS?: number;
        /** Whether the request is carried out before the failure is answered. */
        readonly afterWork?: boolean;
      }
    | { readonly kind: 'drop'; readonly afterWork?: boolean }
    | { readonly kind: 'delay'; readonly ms: number }
    | { readonly kind: 'truncate' }
    /** Null leaves the header away, as GitHub sometimes does. */
    | { readonly kind: 'secondary-limit'; readonly retryAfterS?: number | null }
    | { readonly kind: 'primary-limit' }
    /** Answers only after a later request was answered. */
    | { readonly kind: 'reorder' }
    /** Answers what was so when the request came, once it is let through. */
    | { readonly kind: 'hold'; readonly came: () => void; readonly letThrough: Promise<void> }
  );

/** An answer that is ready and not sent. */
export interface HeldAnswer {
  /** Resolves when the request has come. */
  readonly came: Promise<void>;
  letThrough(): void;
}

/** Faults that were ordered and did not all happen yet, in the order in which they were ordered. */
export class Faults {
  private pending: { readonly spec: FaultSpec; left: number }[] = [];
  private held: (() => void)[] = [];

  next(spec: FaultSpec): void {
    this.pending.push({ spec, left: spec.times ?? 1 });
  }

  /** Holds the answer to the next request that matches. */
  hold(match: NonNullable<FaultSpec['match']>): HeldAnswer {
    let letThrough: () => void = () => undefined;
    const sent = new Promise<void>((resolve) => (letThrough = resolve));
    const came = new Promise<void>((resolve) => {
      this.next({ kind: 'hold', match, came: resolve, letThrough: sent });
    });
    return { came, letThrough };
  }

  /** Forgets what did not happen yet. */
  clear(): void {
    this.pending = [];
    this.releaseHeld();
  }

  /** The fault that befalls the request, used up by one. */
  take(request: RestRequest): FaultSpec | null {
    const fault = this.pending.find(({ spec }) => befalls(spec, request));
    if (!fault) return null;
    fault.left -= 1;
    if (fault.left === 0) this.pending.splice(this.pending.indexOf(fault), 1);
    return fault.spec;
  }

  /** Resolves when a later request has been answered. */
  untilLaterAnswer(): Promise<void> {
    return new Promise((resolve) => this.held.push(resolve));
  }

  releaseHeld(): void {
    for (const release of this.held.splice(0)) release();
  }
}

function befalls({ match }: FaultSpec, request: RestRequest): boolean {
  if (match === undefined) return true;
  return match instanceof RegExp ? match.test(`${request.method} ${request.url}`) : match(request);
}
