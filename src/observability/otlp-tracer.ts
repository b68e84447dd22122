import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { SERVICE_VERSION } from '../config/service-version.js';
import type { DescribeSpan, SpanStart, Tracer } from './tracing.js';

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** An unavailable collector is reported once in this time. Spans that do not fit into the queue meanwhile are dropped. */
const REPORT_INTERVAL_MS = 600_000;
const EXPORT_TIMEOUT_MS = 5_000;

export interface OtlpSettings {
  /** The base URL of the collector. */
  readonly endpoint: string;
  /** The share of new traces that are recorded, from 0 to 1. */
  readonly ratio: number;
}

/** Sends spans to a collector by OTLP over HTTP. */
export class OtlpTracer implements Tracer {
  private readonly running = new AsyncLocalStorage<Context>();
  private readonly provider: TracerProvider;
  private readonly tracer;
  private readonly report: (error: unknown) => void;

  constructor({ endpoint, ratio }: OtlpSettings, log: Logger) {
    this.report = reportOnce(log);
    setGlobalErrorHandler(this.report);
    const exporter = new OTLPTraceExporter({
      url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
      timeoutMillis: EXPORT_TIMEOUT_MS,
    });
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'shipgate', 'service.version': SERVICE_VERSION }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    });
    this.tracer = this.provider.getTracer('shipgate', SERVICE_VERSION);
  }

  async run<T>(
    { name, kind, attributes = {}, parent }: SpanStart,
    work: (describe: DescribeSpan) => Promise<T>,
  ): Promise<T> {
    const within = parent === undefined ? (this.running.getStore() ?? ROOT_CONTEXT) : toContext(parent);
    const span = this.tracer.startSpan(name, { kind: KINDS[kind], attributes }, within);
    try {
      return await this.running.run(trace.setSpan(within, span), () => work((more) => void span.setAttributes(more)));
    } catch (error) {
      // The message of an error may name a repository, so the log has it and the trace has only its type.
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
      throw error;
    } finally {
      span.end();
    }
  }

  traceparent(): string | null {
    const context = this.running.getStore();
    const running = context && trace.getSpanContext(context);
    if (!running) return null;
    const { traceId, spanId, traceFlags } = running;
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  /** Sends the remaining spans. */
  async stop(): Promise<void> {
    await this.provider.shutdown().catch(this.report);
  }
}

function toContext(traceparent: string): Context {
  const parent = parseTraceParent(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

function reportOnce(log: Logger): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    const now = performance.now();
    if (now - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = now;
    log.warn({ err: error }, 'Traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT. Everything else works.');
  };
}
