import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly org: string;
  readonly repo?: string;
  readonly milestoneId?: string;
  readonly what?: string;
  readonly at: string;
}

export interface ReaderSpec {
  readonly cookie: string;
  readonly lastEventId?: string;
  /** The position in the URL. */
  readonly after?: string;
  readonly method?: 'GET' | 'HEAD';
}

/** A reader that follows a workspace on its own connection, as `EventSource` does in a browser. */
export class EventReader {
  /** The received events, in order. */
  readonly events: ReceivedEvent[] = [];
  /** The number of heartbeats. They name no change. */
  heartbeats = 0;
  /** The last received id, which a reader sends when it reconnects. */
  lastEventId = '';
  /** The received part of the response. */
  text = '';
  isClosed = false;
  private rest = '';

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.read(chunk));
    // An aborted stream also closes.
    response.on('error', () => undefined);
    response.once('close', () => (this.isClosed = true));
  }

  static async open(baseUrl: string, { cookie, lastEventId, after, method = 'GET' }: ReaderSpec): Promise<EventReader> {
    const request = get(`${baseUrl}/api/events${after === undefined ? '' : `?after=${after}`}`, {
      agent: false,
      method,
      headers: { cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const reader = new EventReader(response);
    // From the first message on, the reader receives every event.
    if (response.statusCode === 200 && method === 'GET') await reader.until(() => reader.lastEventId !== '');
    return reader;
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  get types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }

  /** Waits until the condition holds. Throws after a time limit. */
  async until(holds: () => boolean): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; !holds(); await sleep(2)) {
      if (Date.now() > end)
        throw new Error(`The condition did not become true; received so far: ${this.text.slice(-1_000)}`);
    }
  }

  async waitForEvents(count: number): Promise<readonly ReceivedEvent[]> {
    await this.until(() => this.events.length >= count);
    return this.events;
  }

  async untilClosed(): Promise<void> {
    await this.until(() => this.isClosed);
  }

  leave(): void {
    this.response.destroy();
  }

  private read(chunk: string): void {
    this.text += chunk;
    const blocks = (this.rest + chunk).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line): [string, string] => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
        }),
      );
      this.lastEventId = fields.get('id') ?? this.lastEventId;
      const data = fields.get('data');
      if (fields.get('event') === 'heartbeat') this.heartbeats += 1;
      else if (data !== undefined) this.events.push(JSON.parse(data) as ReceivedEvent);
    }
  }
}
