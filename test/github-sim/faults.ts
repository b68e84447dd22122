export interface RestRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
}

interface FaultBase {
  /** The requests that fail: a pattern over `METHOD /path?query`, or a predicate. If absent, any request. */
  readonly match?: RegExp | ((request: RestRequest) => boolean);
  /** The number of requests that fail; 1 by default. */
  readonly times?: number;
}

export type FaultSpec = FaultBase &
  (
    | {
        readonly kind: '5xx';
        readonly status?: number;
        /** Seconds of the `Retry-After` header; without a value there is no header. */
        readonly retryAfterS?: number;
        /** Whether the request takes effect before its failure is returned. */
        readonly afterWork?: boolean;
      }
    | { readonly kind: 'drop'; readonly afterWork?: boolean }
    | { readonly kind: 'delay'; readonly ms: number }
    | { readonly kind: 'truncate' }
    /** Null omits the header, as GitHub sometimes does. */
    | { readonly kind: 'secondary-limit'; readonly retryAfterS?: number | null }
    | { readonly kind: 'primary-limit' }
    /** Responds only after a later request got its response. */
    | { readonly kind: 'reorder' }
    /** Computes the response when the request arrives, and sends it later. */
    | { readonly kind: 'hold'; readonly came: () => void; readonly letThrough: Promise<void> }
  );

/** A response that is computed and not sent yet. */
export interface HeldAnswer {
  /** Resolves when the request has arrived. */
  readonly came: Promise<void>;
  letThrough(): void;
}

/** Planned faults that did not all happen yet, in the order of their planning. */
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

  /** Removes the planned faults. */
  clear(): void {
    this.pending = [];
    this.releaseHeld();
  }

  /** Returns the fault for this request, and counts it as used once. Null if there is none. */
  take(request: RestRequest): FaultSpec | null {
    const fault = this.pending.find(({ spec }) => befalls(spec, request));
    if (!fault) return null;
    fault.left -= 1;
    if (fault.left === 0) this.pending.splice(this.pending.indexOf(fault), 1);
    return fault.spec;
  }

  /** Resolves when a later request got its response. */
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
