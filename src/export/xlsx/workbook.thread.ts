import { setPriority } from 'node:os';
import { Writable } from 'node:stream';
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { WorkbookRequest, WorkbookReply, WorkbookMessage } from './workbook-thread.service.js';
import { type WorkbookRow, writeWorkbook } from './workbook-writer.js';

/** The priority of the thread: on a busy core it gets about a tenth of the time of the threads that answer requests. */
const NICENESS = 10;

if (parentPort === null) throw new Error('This script runs only as a worker thread.');
// Linux changes only the priority of the calling thread. Other systems would change that of the whole process.
if (process.platform === 'linux') lowerPriority();
parentPort.on('message', (request: WorkbookRequest) => void handleRequest(request));

function lowerPriority(): void {
  try {
    setPriority(NICENESS);
  } catch {
    // A sandbox may forbid the change. Workbooks then share the processor with requests.
  }
}

/** Writes one workbook. Several workbooks are written in turns. The service closes the port when the download has ended. */
async function handleRequest({ port, layout, maxRows }: WorkbookRequest): Promise<void> {
  const connection = new Connection(port);
  try {
    await writeWorkbook(layout, connection.rows(), connection.output, maxRows);
    connection.post({ ended: true });
  } catch (error) {
    // As text, because not every error can be sent to another thread.
    connection.post({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

class Connection {
  /** Sends each chunk of the file after the one before was written. */
  readonly output = new Writable({
    write: (chunk: Uint8Array, _encoding, onWritten) => this.send([chunk], onWritten),
    writev: (chunks, onWritten) =>
      this.send(
        chunks.map(({ chunk }) => chunk as Uint8Array),
        onWritten,
      ),
  });
  private onWritten: (() => void) | null = null;
  private onRows: ((rows: readonly WorkbookRow[] | null) => void) | null = null;

  constructor(private readonly port: MessagePort) {
    port.on('message', (message: WorkbookMessage) => {
      if ('rows' in message) this.onRows?.(message.rows === null ? null : parseRows(message.rows));
      else this.onWritten?.();
    });
    // Drops the rest of the workbook, because the stream that it waits for is destroyed.
    port.once('close', () => this.output.destroy());
    this.output.on('error', () => undefined);
  }

  /** Reads the rows from the service, one batch ahead. */
  async *rows(): AsyncGenerator<WorkbookRow> {
    let next = this.requestRows();
    for (let rows = await next; rows !== null; rows = await next) {
      next = this.requestRows();
      yield* rows;
    }
  }

  post(reply: WorkbookReply): void {
    // A port of a worker thread has no target origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.port.postMessage(reply);
  }

  private requestRows(): Promise<readonly WorkbookRow[] | null> {
    return new Promise((resolve) => {
      this.onRows = resolve;
      this.post({ needsRows: true });
    });
  }

  private send(chunks: readonly Uint8Array[], onWritten: () => void): void {
    const bytes = new Uint8Array(Buffer.concat(chunks));
    this.onWritten = onWritten;
    this.port.postMessage({ bytes } satisfies WorkbookReply, [bytes.buffer]);
  }
}

const parseRows = (rows: string): readonly WorkbookRow[] => JSON.parse(rows) as readonly WorkbookRow[];
