import type { Clock } from '../../config/clock.js';
import type { OrgId } from '../../database/ids.js';
import type { EventStream } from './event-stream.js';
import { type AddressedEvent, EVENT_BATCH_SIZE, type EventsQueries, type EventBatch } from './events.queries.js';
import { encodeEvent, type StreamFrame, streamPreamble } from './workspace-event.js';

/** How old a missed event can be that is sent after a reconnect. */
const REPLAY_MS = 5 * 60_000;

/** The streams of one workspace in this process. New events are read once for all of them. */
export class WorkspaceStream {
  readonly #streams = new Set<EventStream>();
  /** The users of these streams. Null after a change of the streams. */
  #userIds: readonly number[] | null = null;
  #joining = 0;
  /** The last event that was read for the streams. */
  #lastRead = 0;
  /** Publishing and joining run one after the other, so that a new stream receives each event once. */
  #turn: Promise<void> = Promise.resolve();
  #isPublishQueued = false;

  constructor(
    private readonly orgId: OrgId,
    private readonly events: EventsQueries,
    private readonly clock: Clock,
  ) {}

  get isIdle(): boolean {
    return this.#streams.size === 0 && this.#joining === 0;
  }

  /** Sends the missed events since the last event of the reader, if any, and adds the stream for new ones. */
  async join(stream: EventStream, lastEventId: number | null): Promise<void> {
    this.#joining += 1;
    try {
      const latest = await this.#findLatest(lastEventId ?? 0);
      // A larger id belongs to another workspace that the reader had selected before.
      stream.lastSent = lastEventId === null || lastEventId > latest ? latest : lastEventId;
      stream.send(streamPreamble(stream.lastSent));
      if (stream.lastSent < latest) await this.#catchUp(stream, () => stream.drained());
      await this.#inTurn(() => this.#add(stream));
    } finally {
      this.#joining -= 1;
    }
  }

  leave(stream: EventStream): void {
    if (this.#streams.delete(stream)) this.#userIds = null;
  }

  /** Sends new events to all streams. Returns at once if this is already queued. */
  async publish(): Promise<void> {
    if (this.#isPublishQueued) return;
    this.#isPublishQueued = true;
    await this.#inTurn(async () => {
      this.#isPublishQueued = false;
      await this.#publishNew();
    });
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    await turn;
  }

  /** Returns the last event that was read, which open streams have already received, or reads the latest one if `known` is later. */
  async #findLatest(known: number): Promise<number> {
    return this.#streams.size > 0 && known <= this.#lastRead ? this.#lastRead : this.events.latest(this.orgId);
  }

  async #add(stream: EventStream): Promise<void> {
    if (this.#streams.size === 0) this.#lastRead = await this.events.latest(this.orgId);
    // Most streams have missed nothing. Thousands that reconnect at once would wait for thousands of reads.
    if (stream.lastSent < this.#lastRead) {
      await this.#catchUp(stream, () => Promise.resolve());
      stream.lastSent = Math.max(stream.lastSent, this.#lastRead);
    }
    if (!stream.isOpen) return;
    this.#streams.add(stream);
    this.#userIds = null;
  }

  async #catchUp(stream: EventStream, pause: () => Promise<void>): Promise<void> {
    while (stream.isOpen) {
      const batch = await this.events.listForUsers(this.orgId, {
        userIds: [stream.reader.userId],
        after: stream.lastSent,
        since: new Date(this.clock.earliestNow().getTime() - REPLAY_MS),
        now: () => this.clock.now(),
      });
      stream.cork();
      for (const event of batch.events) {
        deliver(stream, event, encodeEvent(event), batch);
        stream.lastSent = event.id;
      }
      stream.uncork();
      await pause();
      if (batch.events.length < EVENT_BATCH_SIZE) return;
    }
  }

  async #publishNew(): Promise<void> {
    while (this.#streams.size > 0) {
      this.#userIds ??= [...new Set([...this.#streams].map(({ reader }) => reader.userId))];
      const batch = await this.events.listForUsers(this.orgId, {
        userIds: this.#userIds,
        after: this.#lastRead,
        since: null,
        now: () => this.clock.now(),
      });
      // A single event, which is the usual case, needs no packet in common.
      const corked = batch.events.length > 1 ? [...this.#streams] : [];
      for (const stream of corked) stream.cork();
      for (const event of batch.events) {
        const frame = encodeEvent(event);
        for (const stream of this.#streams) if (event.id > stream.lastSent) deliver(stream, event, frame, batch);
        this.#lastRead = event.id;
      }
      for (const stream of corked) stream.uncork();
      if (batch.events.length < EVENT_BATCH_SIZE) return;
    }
  }
}

/** Sends the event if the reader can see it now. Ends the stream if its membership or access is not fresh. */
function deliver(
  stream: EventStream,
  { readers }: AddressedEvent,
  frame: StreamFrame,
  { members, knownReaders }: EventBatch,
): void {
  const { userId } = stream.reader;
  // After a reconnect the guard checks the membership at GitHub, and the missed events are sent.
  if (!members.has(userId)) stream.end();
  else if (readers === null) stream.send(frame);
  else if (knownReaders.has(userId)) {
    stream.knowsAccess = true;
    if (readers.has(userId)) stream.send(frame);
  } else if (stream.knowsAccess) stream.end();
}
