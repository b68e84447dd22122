import type { LiveEvent } from './event-queries.js';

/** A message of one tab to the others of the browser. */
export type TabMessage =
  | { readonly event: LiveEvent; readonly org: string }
  | { readonly status: 'connecting' | 'live' | 'off'; readonly org: string }
  | { readonly request: 'status'; readonly org: string }
  /** Events may have been missed. */
  | { readonly refresh: 'all'; readonly org: string }
  /** The session works in this workspace now. */
  | { readonly selected: string }
  | { readonly signedOut: true };

const CHANNEL = 'shipgate';

/** Sends a message to all other tabs. */
export function sendToTabs(message: TabMessage): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(message);
  channel.close();
}

/** Receives the messages of other tabs until the signal aborts. */
export function listenToTabs(onMessage: (message: TabMessage) => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => onMessage(data));
  signal.addEventListener('abort', () => channel.close());
}
