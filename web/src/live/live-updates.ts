import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.js';
import { meQuery } from '../api/session.query.js';
import { EVENT_TYPES, queriesOf, type LiveEvent } from './event-queries.js';
import { Invalidator } from './invalidator.js';
import { retryPause } from './retry-pause.js';
import { SESSION_PROBLEM, type SessionProblem } from './session-problem.js';
import { listenToTabs, sendToTabs, type TabMessage } from './tabs.js';

/** Whether changes appear by themselves. */
export type LiveStatus = 'connecting' | 'live' | 'off';

const HIDDEN_MS = 60_000;
const REFRESH_MS = 60_000;
/** The service repeats missed events of this time. */
const REPEATED_MS = 5 * 60_000;

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

  constructor(
    private readonly client: QueryClient,
    readonly org: string,
  ) {
    this.invalidator = new Invalidator(client);
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
    // Between the stream of the tab before and this one events may be missed.
    let mayMiss = this.status !== 'connecting';
    this.isLeading = true;
    try {
      for (let failures = 0; !signal.aborted; mayMiss = true) {
        this.publishStatus('connecting');
        const wasOpen = await this.readStream(signal, mayMiss);
        if (signal.aborted) return;
        failures = wasOpen ? 1 : failures + 1;
        this.publishStatus('off');
        await pause(retryPause(failures), signal);
        if (signal.aborted || (await this.findSessionProblem())) return;
      }
    } finally {
      this.isLeading = false;
    }
  }

  /** Reads the stream until the service rejects it. Resolves to whether it was open. */
  private readStream(signal: AbortSignal, mayMiss: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const stream = new EventSource(`/api/events?workspace=${encodeURIComponent(this.org)}`);
      let wasOpen = false;
      let lostAt = 0;
      const end = (): void => {
        stream.close();
        resolve(wasOpen);
      };
      stream.addEventListener('open', () => {
        const hasMissed = wasOpen ? Date.now() - lostAt > REPEATED_MS : mayMiss;
        if (hasMissed) this.publish({ refresh: 'all', org: this.org });
        wasOpen = true;
        this.publishStatus('live');
      });
      stream.addEventListener('error', () => {
        if (this.status === 'live') lostAt = Date.now();
        // The browser connects again by itself after a network error, but not after a status that is not 200.
        if (stream.readyState === EventSource.CLOSED) end();
        else this.publishStatus('connecting');
      });
      for (const type of EVENT_TYPES) {
        stream.addEventListener(type, ({ data }: MessageEvent<string>) => {
          this.publish({ event: JSON.parse(data) as LiveEvent, org: this.org });
        });
      }
      signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Whether the session ended or works in another workspace, so that a retry is useless. */
  private async findSessionProblem(): Promise<boolean> {
    try {
      const { workspace } = await this.client.fetchQuery({ ...meQuery, staleTime: 0 });
      if (workspace?.org.toLowerCase() === this.org.toLowerCase()) return false;
      this.setProblem('other_workspace');
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
      if (this.isLeading) sendToTabs({ status: this.status, org: this.org });
    } else if ('status' in message) this.setStatus(message.status);
    else if ('refresh' in message) this.invalidator.invalidate([]);
    else for (const queryKey of queriesOf(message.event)) this.invalidator.invalidate(queryKey);
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
    this.publish({ status, org: this.org });
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
