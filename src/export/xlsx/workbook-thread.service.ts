import { on } from 'node:events';
import path from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { SheetLayout, WorkbookLayout, WorkbookRow } from './workbook-writer.js';

/** The request to write a workbook. Each workbook has its own `port`. */
export interface WorkbookRequest {
  readonly layout: WorkbookLayout;
  readonly maxRows: number | undefined;
  readonly port: MessagePort;
}

/** A message to the thread: rows as JSON of `WorkbookRow`, null after the last one, or that the last bytes were written. */
export type WorkbookMessage = { readonly rows: string | null } | { readonly written: true };

/** A message of the thread. At most one message with bytes and one request for rows are pending. */
export type WorkbookReply =
  | { readonly bytes: Uint8Array }
  | { readonly needsRows: true }
  | { readonly ended: true }
  | { readonly failed: string };

/** About how many rows are sent to the thread at once. */
const BATCH_ROWS = 500;
/** More than a workbook needs. A defect ends only the thread. The young generation is small, because new objects are short-lived. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 };
/** How long an idle thread stays. Starting one takes half a second, and an idle one uses memory. */
const IDLE_MS = 60_000;

/** The script of the thread, with the extension of this file: built, or the source in tests. */
const THREAD = new URL(`./workbook.thread${path.extname(import.meta.url)}`, import.meta.url);

/** The options of Node for the thread; undefined: those of the process. None are needed for the built script. */
export class WorkbookThreadConfig {
  constructor(readonly execArgv?: readonly string[]) {}
}

/**
 * Writes all workbooks in one thread. A large workbook takes seconds, and in the main thread it would delay the answers of the gate.
 * The thread starts when it is needed.
 */
@Injectable()
export class WorkbookThreadService implements OnApplicationShutdown {
  private worker: Worker | null = null;
  private running = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly config: WorkbookThreadConfig) {}

  /** Writes a workbook. Reads the rows as fast as the consumer reads the bytes, and ends when the consumer stops. */
  async *write(layout: WorkbookLayout, rows: AsyncIterable<WorkbookRow>, maxRows?: number): AsyncGenerator<Uint8Array> {
    const worker = this.acquireWorker();
    const { port1: port, port2 } = new MessageChannel();
    const batches = toBatches(rows);
    const failed = new AbortController();
    const messages = on(port, 'message', { signal: failed.signal, close: ['close'] });
    worker.postMessage({ layout: toMessage(layout), maxRows, port: port2 } satisfies WorkbookRequest, [port2]);
    try {
      for await (const [reply] of messages as AsyncIterable<[WorkbookReply]>) {
        if ('ended' in reply) return;
        if ('failed' in reply) throw new Error(`The workbook could not be written: ${reply.failed}`);
        if ('needsRows' in reply) void sendRows(port, batches).catch((error: unknown) => failed.abort(error));
        else {
          yield reply.bytes;
          port.postMessage({ written: true } satisfies WorkbookMessage);
        }
      }
      throw new Error('The thread that writes workbooks ended.');
    } catch (error) {
      throw failed.signal.aborted ? failed.signal.reason : error;
    } finally {
      port.close();
      this.releaseWorker();
      await batches.return(undefined);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.idle);
    await this.stop();
  }

  private acquireWorker(): Worker {
    clearTimeout(this.idle);
    this.worker ??= this.startWorker();
    this.running += 1;
    return this.worker;
  }

  private releaseWorker(): void {
    this.running -= 1;
    if (this.running === 0) this.idle = setTimeout(() => void this.stop(), IDLE_MS).unref();
  }

  private async stop(): Promise<void> {
    const { worker } = this;
    this.worker = null;
    await worker?.terminate();
  }

  private startWorker(): Worker {
    const { execArgv } = this.config;
    const worker = new Worker(THREAD, { execArgv: execArgv && [...execArgv], resourceLimits: RESOURCE_LIMITS });
    worker.unref();
    // Each workbook gets the error through its port. Without a listener the error would end the process.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.worker === worker) this.worker = null;
    });
    return worker;
  }
}

async function sendRows(port: MessagePort, batches: AsyncIterator<readonly WorkbookRow[]>): Promise<void> {
  const next = await batches.next();
  port.postMessage({ rows: next.done === true ? null : JSON.stringify(next.value) } satisfies WorkbookMessage);
}

async function* toBatches(rows: AsyncIterable<WorkbookRow>): AsyncGenerator<readonly WorkbookRow[]> {
  let batch: WorkbookRow[] = [];
  let lines = 0;
  for await (const row of rows) {
    batch.push(row);
    lines += 1 + row[1].length;
    if (lines < BATCH_ROWS) continue;
    yield batch;
    batch = [];
    lines = 0;
  }
  if (lines > 0) yield batch;
}

/** Leaves out the functions of columns, which cannot be sent to a thread. */
const toMessage = ({ sheet, details, ...layout }: WorkbookLayout): WorkbookLayout => ({
  ...layout,
  sheet: withPlainColumns(sheet),
  details: details && withPlainColumns(details),
});

const withPlainColumns = <Sheet extends SheetLayout>(sheet: Sheet): Sheet => ({
  ...sheet,
  columns: sheet.columns.map(({ heading, kind, width }) => ({ heading, kind, width })),
});
