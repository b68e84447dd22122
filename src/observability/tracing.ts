/** A value of a span. Ids and codes only: no names, no content, no secrets. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  /** `server`: a request arrived. `client`: a request is sent. `consumer`: a job is taken. */
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  readonly attributes?: SpanAttributes;
  /** The span that enqueued a job, as a W3C `traceparent`. Without it the parent is the running span. */
  readonly parent?: string | undefined;
}

/** Adds attributes that are known only later. */
export type DescribeSpan = (attributes: SpanAttributes) => void;

export interface Tracer {
  run<T>(start: SpanStart, work: (describe: DescribeSpan) => Promise<T>): Promise<T>;
  /** The running span as a W3C `traceparent`; null if there is none. */
  traceparent(): string | null;
}

const IGNORE: DescribeSpan = () => undefined;

/** Null while traces are off. Then the packages of OpenTelemetry are not loaded, and a span costs one comparison. */
let tracer: Tracer | null = null;

export function setTracer(next: Tracer | null): void {
  tracer = next;
}

/** Runs work as a span of the trace, if traces are on. */
export function traced<T>(start: SpanStart, work: (describe: DescribeSpan) => Promise<T>): Promise<T> {
  return tracer === null ? work(IGNORE) : tracer.run(start, work);
}

/** Returns the running span as a W3C `traceparent`, for work that continues elsewhere; null if there is none. */
export const currentTraceparent = (): string | null => tracer?.traceparent() ?? null;
