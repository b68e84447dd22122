import type { ServerResponse } from 'node:http';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { isFresh } from '../../auth/session/session-lifetime.js';
import { type SelectedWorkspace, SessionsRepository } from '../../auth/session/sessions.repository.js';
import { Clock } from '../../config/clock.js';
import type { OrgId } from '../../database/ids.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { Metrics } from '../../observability/metrics.js';
import { EventStream, type StreamReader } from './event-stream.js';
import { EventsQueries } from './events.queries.js';
import { NotificationListener } from './notification-listener.js';
import { HEARTBEAT } from './workspace-event.js';
import { WorkspaceStream } from './workspace-stream.js';

/** The maximum number of open streams of one user per process. A browser opens at most six connections per host. */
const MAX_STREAMS_PER_USER = 5;
const HEARTBEAT_MS = 15_000;
/** Closes a stream within a minute after its session or membership, even without a notification. */
const RECHECK_MS = 30_000;
/** The number of sessions that are checked in one statement. */
const RECHECK_BATCH_SIZE = 500;
const RETRY_SECONDS = 5;

/** Serves the event streams of this process and closes them. */
@Injectable()
export class EventStreamsService implements OnModuleInit, OnModuleDestroy {
  readonly #logger = new Logger(EventStreamsService.name);
  readonly #streams = new Set<EventStream>();
  readonly #workspaces = new Map<OrgId, WorkspaceStream>();
  /** The number of streams per user, including streams that are about to begin. */
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
    metrics.gauge('shipgate_event_streams', 'Open event streams.', () => Promise.resolve(this.#streams.size));
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

  /** Runs before the server waits for open requests, because streams do not end by themselves. */
  onModuleDestroy(): void {
    this.#isClosing = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const stream of this.#streams) stream.end();
    this.notices.stop();
  }

  /**
   * Opens a stream on the response that `begin` returns, after the last event of the reader, if any. Throws `rate_limited` if the
   * reader has the maximum number of streams. An error after `begin` ends the stream.
   */
  async open(
    reader: StreamReader,
    lastEventId: number | null,
    knowsAccess: boolean,
    begin: () => ServerResponse,
  ): Promise<void> {
    this.#reserveSlot(reader.userId);
    try {
      await this.notices.listen();
      if (this.#isClosing) throw new DomainError('unavailable', 'The service is stopping. Try again.', RETRY);
    } catch (error) {
      this.#releaseSlot(reader.userId);
      throw error;
    }
    const stream = new EventStream(reader, knowsAccess, begin());
    this.#streams.add(stream);
    stream.onClose(() => {
      this.#releaseSlot(stream.reader.userId);
      this.#streams.delete(stream);
      this.#leave(stream);
    });
    try {
      // Checked again, because the stream missed the notifications between the check of the guard and now.
      await this.#endUnauthorized([stream]);
      if (stream.isOpen) await this.#workspaceStream(reader.orgId).join(stream, lastEventId);
    } catch (error) {
      this.#logger.warn(`Event stream failed to start: ${String(error)}`);
      stream.end();
    } finally {
      // The client may have left meanwhile, when the workspace was still in use by this stream.
      if (!stream.isOpen) this.#leave(stream);
    }
  }

  /** Sends a heartbeat to every reader, and reads new events in case a notification was lost. */
  sendHeartbeat(): void {
    for (const stream of this.#streams) stream.send(HEARTBEAT);
    void this.notices.check();
    this.#publishAll();
  }

  /** Ends the streams whose session or membership has ended. An open stream does not extend its session. */
  async closeUnauthorized(): Promise<void> {
    try {
      await this.#endUnauthorized([...this.#streams]);
    } catch (error) {
      // No event can be sent either while the database does not respond.
      this.#logger.warn(`Check of event streams failed: ${String(error)}`);
    }
  }

  /** Reads each session once, however many streams it has. A failed read does not prevent the end of those that were read before. */
  async #endUnauthorized(streams: readonly EventStream[]): Promise<void> {
    const streamsOf = new Map<string, EventStream[]>();
    for (const stream of streams) {
      const { session } = stream.reader;
      streamsOf.set(session, [...(streamsOf.get(session) ?? []), stream]);
    }
    const sessions = [...streamsOf.keys()];
    for (let at = 0; at < sessions.length; at += RECHECK_BATCH_SIZE) {
      const batch = sessions.slice(at, at + RECHECK_BATCH_SIZE);
      const found = await this.sessions.findSelectedWorkspaces(batch);
      const memberships = new Map(found.map((membership) => [membership.session, membership]));
      for (const session of batch)
        for (const stream of streamsOf.get(session) ?? []) this.#endIfUnauthorized(stream, memberships.get(session));
    }
  }

  #endIfUnauthorized(stream: EventStream, selected: SelectedWorkspace | undefined): void {
    if (selected?.orgId !== stream.reader.orgId || !isFresh(selected.confirmedAt, this.clock.now())) stream.end();
  }

  /** Counts a stream of the user until the slot is released. Throws `rate_limited` at the maximum. */
  #reserveSlot(userId: number): void {
    const count = this.#counts.get(userId) ?? 0;
    if (count >= MAX_STREAMS_PER_USER) {
      throw new DomainError(
        'rate_limited',
        `You can have at most ${MAX_STREAMS_PER_USER} event streams. Close one and try again.`,
        RETRY,
      );
    }
    this.#counts.set(userId, count + 1);
  }

  #releaseSlot(userId: number): void {
    const left = (this.#counts.get(userId) ?? 1) - 1;
    if (left === 0) this.#counts.delete(userId);
    else this.#counts.set(userId, left);
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
    else if (kind === 'session') this.#endWhere(({ session }) => session === id);
    else if (kind === 'member') this.#endWhere(({ orgId, userId: who }) => orgId === id && String(who) === userId);
  }

  #endWhere(matches: (reader: StreamReader) => boolean): void {
    for (const stream of this.#streams) if (matches(stream.reader)) stream.end();
  }

  #publishAll(): void {
    for (const workspace of this.#workspaces.values()) this.#publish(workspace);
  }

  /** Sends new events. After an error they are read with the next notification, heartbeat or connection. */
  #publish(workspace: WorkspaceStream | undefined): void {
    workspace?.publish().catch((error: unknown) => this.#logger.warn(`Read of events failed: ${String(error)}`));
  }
}

const RETRY = { retryAfterSeconds: RETRY_SECONDS } as const;
