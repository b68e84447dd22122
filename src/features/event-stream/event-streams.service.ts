import type { ServerResponse } from 'node:http';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { isFresh } from '../../auth/session/session-lifetime.js';
import { SessionsRepository } from '../../auth/session/sessions.repository.js';
import { Clock } from '../../config/clock.js';
import type { OrgId } from '../../database/ids.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { Metrics } from '../../observability/metrics.js';
import { EventStream, type StreamReader } from './event-stream.js';
import { EventsQueries } from './events.queries.js';
import { NotificationListener } from './notification-listener.js';
import { HEARTBEAT } from './workspace-event.js';
import { WorkspaceStream } from './workspace-stream.js';

/** How many streams one person may have open in a process; a browser opens at most six connections to a host. */
const MAX_STREAMS_PER_USER = 5;
const HEARTBEAT_MS = 15_000;
/** So that a stream never outlasts what it rests on by a minute, even where nothing announces the end of that. */
const RECHECK_MS = 30_000;
const RETRY_SECONDS = 5;

/** The streams of events that this process serves, and what ends them. */
@Injectable()
export class EventStreamsService implements OnModuleInit, OnModuleDestroy {
  readonly #logger = new Logger(EventStreamsService.name);
  readonly #streams = new Set<EventStream>();
  readonly #workspaces = new Map<OrgId, WorkspaceStream>();
  /** By person, those that are about to begin included. */
  readonly #counts = new Map<number, number>();
  #timers: readonly NodeJS.Timeout[] = [];
  #isClosing = false;

  constructor(
    private readonly events: EventsQueries,
    private readonly notices: NotificationListener,
    private readonly sessions: SessionsRepository,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.gauge('shipgate_event_streams', 'Streams of events that are open.', () =>
      Promise.resolve(this.#streams.size),
    );
  }

  onModuleInit(): void {
    this.notices.handle({
      onNotice: (notice) => this.#onNotice(notice),
      onGap: () => {
        this.#publishAll();
        void this.closeUnauthorized();
      },
    });
    this.#timers = [
      setInterval(() => this.sendHeartbeat(), HEARTBEAT_MS).unref(),
      setInterval(() => void this.closeUnauthorized(), RECHECK_MS).unref(),
    ];
  }

  /** Before the server waits for its requests to end, which streams never do by themselves. */
  onModuleDestroy(): void {
    this.#isClosing = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const stream of this.#streams) stream.end();
    this.notices.stop();
  }

  /**
   * Begins a stream on the response that `begin` makes, after the event that its reader had last, if any. Throws
   * `rate_limited` where the reader has as many as one may have. What fails after `begin` ends the stream.
   */
  async open(reader: StreamReader, lastEventId: number | null, begin: () => ServerResponse): Promise<void> {
    const releaseSlot = this.#count(reader.userId);
    try {
      await this.notices.listen();
      if (this.#isClosing) throw new DomainError('unavailable', 'The service is about to stop.', RETRY);
    } catch (error) {
      releaseSlot();
      throw error;
    }
    const stream = new EventStream(reader, begin());
    this.#streams.add(stream);
    stream.onClose(() => {
      releaseSlot();
      this.#streams.delete(stream);
      this.#leave(stream);
    });
    try {
      // What ended between the guard and this line was announced to nobody; what ends from here on ends the stream.
      if (await this.#mayStay(stream)) await this.#workspaceStream(reader.orgId).join(stream, lastEventId);
      else stream.end();
    } catch (error) {
      this.#logger.warn(`A stream of events could not begin: ${String(error)}`);
      stream.end();
    }
  }

  /** A sign of life to every reader; and a look at what a notice that was lost would have told of. */
  sendHeartbeat(): void {
    for (const stream of this.#streams) stream.send(HEARTBEAT);
    void this.notices.check();
    this.#publishAll();
  }

  /** Ends the streams whose session or membership has ended. That a stream is open is no use of its session. */
  async closeUnauthorized(): Promise<void> {
    for (const stream of this.#streams) {
      try {
        if (stream.isOpen && !(await this.#mayStay(stream))) stream.end();
      } catch (error) {
        // Nothing is told either while the database does not answer.
        this.#logger.warn(`Streams of events could not be checked: ${String(error)}`);
        return;
      }
    }
  }

  async #mayStay({ reader }: EventStream): Promise<boolean> {
    const membership = (await this.sessions.find(reader.session))?.membership ?? null;
    return membership?.orgId === reader.orgId && isFresh(membership.confirmedAt, this.clock.now());
  }

  /** Counts a stream of the person until the answer is called; throws where there are as many as may be. */
  #count(userId: number): () => void {
    const count = this.#counts.get(userId) ?? 0;
    if (count >= MAX_STREAMS_PER_USER) {
      throw new DomainError('rate_limited', `You may follow at most ${MAX_STREAMS_PER_USER} streams at once.`, RETRY);
    }
    this.#counts.set(userId, count + 1);
    return () => {
      const left = (this.#counts.get(userId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(userId);
      else this.#counts.set(userId, left);
    };
  }

  #workspaceStream(orgId: OrgId): WorkspaceStream {
    const workspace = this.#workspaces.get(orgId) ?? new WorkspaceStream(orgId, this.events, this.clock);
    this.#workspaces.set(orgId, workspace);
    return workspace;
  }

  #leave(stream: EventStream): void {
    const { orgId } = stream.reader;
    const workspace = this.#workspaces.get(orgId);
    workspace?.leave(stream);
    if (workspace?.isIdle === true) this.#workspaces.delete(orgId);
  }

  #onNotice(notice: string): void {
    const [kind, id = '', userId = ''] = notice.split(' ');
    if (kind === 'workspace') this.#publish(this.#workspaces.get(id as OrgId));
    else if (kind === 'session') this.#endWhere(({ session }) => session.toString('hex') === id);
    else if (kind === 'member') this.#endWhere(({ orgId, userId: who }) => orgId === id && String(who) === userId);
  }

  #endWhere(matches: (reader: StreamReader) => boolean): void {
    for (const stream of this.#streams) if (matches(stream.reader)) stream.end();
  }

  #publishAll(): void {
    for (const workspace of this.#workspaces.values()) this.#publish(workspace);
  }

  /** What cannot be read now is read with the next notice, the next heartbeat, or once there is a connection again. */
  #publish(workspace: WorkspaceStream | undefined): void {
    workspace?.publish().catch((error: unknown) => this.#logger.warn(`Events could not be read: ${String(error)}`));
  }
}

const RETRY = { retryAfterSeconds: RETRY_SECONDS } as const;
