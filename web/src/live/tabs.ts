import type { LiveEvent } from './event-queries.js';

/** A message of one tab to the others of the browser. */
export type TabMessage =
  | { readonly event: LiveEvent; readonly org: string }
  /** `lastEventId` is the last event that the sending tab has received. */
  | { readonly status: 'connecting' | 'live' | 'off'; readonly lastEventId: number; readonly org: string }
  | { readonly request: 'status'; readonly org: string }
  /** Events may have been missed. */
  | { readonly refresh: 'all'; readonly org: string }
  /** The session works in this workspace now. */
  | { readonly selected: string }
  | { readonly signedOut: true };

/** One channel for both directions, because it does not receive what it sent itself. */
const channel = new BroadcastChannel('shipgate');

/** Sends a message to all other tabs. */
export function sendToTabs(message: TabMessage): void {
  channel.postMessage(message);
}

/** Receives the messages of other tabs until the signal aborts. */
export function listenToTabs(onMessage: (message: TabMessage) => void, signal: AbortSignal): void {
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => onMessage(data), { signal });
}
