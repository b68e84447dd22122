import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const COME_BACK_MS = 100;

/** A reader that follows a workspace and reconnects with the last id whenever the stream ends, as `EventSource` does. */
export class ReconnectingEventReader {
  /** The ids of the received events, in order. */
  readonly ids: number[] = [];
  /** The number of streams that began. */
  streams = 0;
  private first: number | null = null;
  private last = '';
  private response: IncomingMessage | null = null;
  private isGone = false;
  private readonly loop: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {
    this.loop = this.follow();
  }

  /** The id of the last event before this reader began to follow. */
  get began(): number {
    return this.first ?? 0;
  }

  get isFollowing(): boolean {
    return this.first !== null;
  }

  async leave(): Promise<void> {
    this.isGone = true;
    this.response?.destroy();
    await this.loop;
  }

  private async follow(): Promise<void> {
    for (; !this.isGone; await sleep(COME_BACK_MS)) {
      const requested = get(`${this.url}/api/events`, {
        agent: false,
        headers: { cookie: this.cookie, ...(this.last !== '' && { 'last-event-id': this.last }) },
      });
      const arrived = (await once(requested, 'response').catch(() => [null])) as [IncomingMessage | null];
      const [response] = arrived;
      if (response === null) continue;
      if (response.statusCode === 200) await this.read(response);
      else response.destroy();
    }
  }

  private async read(response: IncomingMessage): Promise<void> {
    this.streams += 1;
    this.response = response;
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.readBlock(block);
    });
    response.on('error', () => undefined);
    await new Promise((resolve) => response.once('close', resolve));
  }

  private readBlock(block: string): void {
    const id = /^id: (\d+)$/m.exec(block)?.[1];
    if (id === undefined) return;
    this.last = id;
    // The first message has an id and names no event.
    if (block.includes('\ndata: ')) this.ids.push(Number(id));
    else this.first ??= Number(id);
  }
}
