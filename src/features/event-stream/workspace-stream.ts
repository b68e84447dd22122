import { isFresh } from '../../auth/session/session-lifetime.js';
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
      const latest = await this.events.latest(this.orgId);
      // A larger id belongs to another workspace that the reader had selected before.
      stream.lastSent = lastEventId === null || lastEventId > latest ? latest : lastEventId;
      stream.send(streamPreamble(stream.lastSent));
      await this.#catchUp(stream, () => stream.drained());
      await this.#inTurn(() => this.#add(stream));
    } finally {
      this.#joining -= 1;
    }
  }

  leave(stream: EventStream): void {
    this.#streams.delete(stream);
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

  async #add(stream: EventStream): Promise<void> {
    if (this.#streams.size === 0) this.#lastRead = await this.events.latest(this.orgId);
    await this.#catchUp(stream, () => Promise.resolve());
    stream.lastSent = Math.max(stream.lastSent, this.#lastRead);
    if (stream.isOpen) this.#streams.add(stream);
  }

  async #catchUp(stream: EventStream, pause: () => Promise<void>): Promise<void> {
    while (stream.isOpen) {
      const since = new Date(this.clock.earliestNow().getTime() - REPLAY_MS);
      const { events, members } = await this.events.listForUsers(
        [stream.reader.userId],
        this.orgId,
        stream.lastSent,
        since,
      );
      for (const event of events) {
        this.#deliver(stream, event, encodeEvent(event), members);
        stream.lastSent = event.id;
      }
      await pause();
      if (events.length < EVENT_BATCH_SIZE) return;
    }
  }

  async #publishNew(): Promise<void> {
    while (this.#streams.size > 0) {
      const userIds = new Set([...this.#streams].map(({ reader }) => reader.userId));
      const { events, members } = await this.events.listForUsers([...userIds], this.orgId, this.#lastRead);
      for (const event of events) {
        const frame = encodeEvent(event);
        for (const stream of this.#streams)
          if (event.id > stream.lastSent) this.#deliver(stream, event, frame, members);
        this.#lastRead = event.id;
      }
      if (events.length < EVENT_BATCH_SIZE) return;
    }
  }

  /** Sends the event if the reader can see it now. Ends the stream if its membership or access is not fresh. */
  #deliver(stream: EventStream, { readers }: AddressedEvent, frame: StreamFrame, members: EventBatch['members']): void {
    const { userId } = stream.reader;
    const now = this.clock.now();
    const member = members.get(userId);
    // After a reconnect the guard checks the membership at GitHub, and the missed events are sent.
    if (!member || !isFresh(member.confirmedAt, now)) stream.end();
    else if (readers === null) stream.send(frame);
    else if (isFresh(member.accessObservedAt, now)) {
      stream.knowsAccess = true;
      if (readers.has(userId)) stream.send(frame);
    } else if (stream.knowsAccess) stream.end();
  }
}
