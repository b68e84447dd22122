import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.js';
import { meQuery } from '../api/session.query.js';
import { toQueries } from './event-queries.js';
import { Invalidator } from './invalidator.js';
import { readStream, type StreamPosition } from './read-stream.js';
import { retryPause } from './retry-pause.js';
import { SESSION_PROBLEM, type SessionProblem } from './session-problem.js';
import { listenToTabs, sendToTabs, type TabMessage } from './tabs.js';

/** Whether changes appear by themselves. */
export type LiveStatus = 'connecting' | 'live' | 'off';

const HIDDEN_MS = 60_000;
const REFRESH_MS = 60_000;

/**
 * Keeps the queries of a tab up to date while the tab is visible. All tabs of a browser share one stream: the tab that holds the lock
 * opens it and forwards its events. A tab that is hidden for a minute gives the lock to another one.
 */
export class LiveUpdates {
  private readonly invalidator: Invalidator;
  private stopped = new AbortController();
  /** Ends the wait for the lock and the stream of this tab. */
  private leadership: AbortController | null = null;
  private hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether this tab holds the lock. */
  private isLeading = false;
  private status: LiveStatus = 'connecting';
  private readonly listeners = new Set<() => void>();
  private position: StreamPosition;

  /** The screens of this tab show all changes until that event, because they loaded their data later. */
  constructor(
    private readonly client: QueryClient,
    readonly org: string,
    lastEventId: string,
  ) {
    this.invalidator = new Invalidator(client);
    this.position = { lastEventId: Number(lastEventId), knownAt: Date.now() };
  }

  start(): void {
    this.stopped = new AbortController();
    const { signal } = this.stopped;
    listenToTabs((message) => this.receive(message), signal);
    document.addEventListener('visibilitychange', () => this.followVisibility(), { signal });
    const timer = setInterval(() => this.refreshIfOff(), REFRESH_MS);
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      clearTimeout(this.hiddenTimer);
      this.leadership?.abort();
      this.leadership = null;
    });
    this.followVisibility();
    sendToTabs({ request: 'status', org: this.org });
  }

  stop(): void {
    this.stopped.abort();
  }

  readonly getStatus = (): LiveStatus => this.status;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private followVisibility(): void {
    clearTimeout(this.hiddenTimer);
    if (document.visibilityState === 'hidden') {
      this.hiddenTimer = setTimeout(() => {
        this.leadership?.abort();
        this.leadership = null;
      }, HIDDEN_MS);
      return;
    }
    if (this.leadership !== null) return;
    // Hidden tabs may have missed events.
    if (this.status !== 'connecting') void this.client.invalidateQueries();
    this.leadership = new AbortController();
    void this.lead(this.leadership.signal);
  }

  /** Waits for the lock and keeps the stream open. Browsers offer locks only on https and localhost; elsewhere each tab has a stream. */
  private async lead(signal: AbortSignal): Promise<void> {
    const holdStream = (): Promise<void> => this.maintainStream(signal);
    if (!isSecureContext) return holdStream();
    try {
      await navigator.locks.request(`shipgate-events-${this.org}`, { signal }, holdStream);
    } catch (error) {
      // The wait was ended.
      if (!signal.aborted) throw error;
    }
  }

  private async maintainStream(signal: AbortSignal): Promise<void> {
    this.isLeading = true;
    try {
      for (let failures = 0; !signal.aborted;) {
        this.publishStatus('connecting');
        const hasBegun = await this.readStream(signal);
        if (signal.aborted) return;
        failures = hasBegun ? 1 : failures + 1;
        this.publishStatus('off');
        await pause(retryPause(failures), signal);
        if (signal.aborted || (await this.findSessionProblem())) return;
      }
    } finally {
      this.isLeading = false;
    }
  }

  private readStream(signal: AbortSignal): Promise<boolean> {
    const { org, position } = this;
    return readStream(
      new EventSource(`/api/events?workspace=${encodeURIComponent(org)}&after=${position.lastEventId}`),
      position,
      {
        onBegin: (hasMissed) => {
          if (hasMissed) this.publish({ refresh: 'all', org });
          this.publishStatus('live');
        },
        onEvent: (event) => this.publish({ event, org }),
        onLost: () => this.publishStatus('connecting'),
      },
      signal,
    );
  }

  /** Whether the session ended, or works in another workspace or in none, so that a retry is useless. */
  private async findSessionProblem(): Promise<boolean> {
    try {
      const { workspace } = await this.client.fetchQuery({ ...meQuery, staleTime: 0 });
      if (workspace?.org.toLowerCase() === this.org.toLowerCase()) return false;
      this.setProblem(workspace === null ? 'no_access' : 'other_workspace');
      return true;
    } catch (error) {
      // The query client shows that the session ended.
      return error instanceof ApiError && error.status === 401;
    }
  }

  private receive(message: TabMessage): void {
    if ('signedOut' in message) this.setProblem('ended');
    else if ('selected' in message) {
      if (message.selected.toLowerCase() !== this.org.toLowerCase()) this.setProblem('other_workspace');
    } else if (message.org !== this.org) return;
    else if ('request' in message) {
      if (this.isLeading) sendToTabs({ status: this.status, lastEventId: this.position.lastEventId, org: this.org });
    } else if ('status' in message) {
      // An event came after this tab had loaded its data, and before it listened.
      if (message.lastEventId > this.position.lastEventId) this.invalidator.invalidate([]);
      this.moveTo(message.lastEventId, this.position.knownAt);
      this.setStatus(message.status);
    } else if ('refresh' in message) this.invalidator.invalidate([]);
    else {
      this.moveTo(Number(message.event.id), Date.now());
      for (const queryKey of toQueries(message.event)) this.invalidator.invalidate(queryKey);
    }
  }

  private moveTo(lastEventId: number, knownAt: number): void {
    // Messages of tabs may arrive later than events of the stream.
    const isLater = lastEventId > this.position.lastEventId;
    this.position = { lastEventId: isLater ? lastEventId : this.position.lastEventId, knownAt };
  }

  private setProblem(problem: SessionProblem): void {
    this.client.setQueryData<SessionProblem>(SESSION_PROBLEM, problem);
    this.stop();
  }

  private publish(message: TabMessage): void {
    this.receive(message);
    // Without the lock each tab has its own stream.
    if (isSecureContext) sendToTabs(message);
  }

  private publishStatus(status: LiveStatus): void {
    this.publish({ status, lastEventId: this.position.lastEventId, org: this.org });
  }

  private setStatus(status: LiveStatus): void {
    if (status === this.status) return;
    this.status = status;
    for (const listener of this.listeners) listener();
  }

  private refreshIfOff(): void {
    if (this.status !== 'live' && document.visibilityState === 'visible') void this.client.invalidateQueries();
  }
}

/** Resolves after the time, or at once when the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
