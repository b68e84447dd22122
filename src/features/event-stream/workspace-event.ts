import type { EventType } from '../../events/events.repository.js';

/** An event as streams tell it. */
export interface WorkspaceEvent {
  /** Its place among the workspace's events: 1, 2, 3 and so on, in the order in which they were committed. */
  readonly id: number;
  readonly type: EventType;
  /** The organization's login. */
  readonly org: string;
  /** The repository's name; null where it concerns the workspace as a whole. */
  readonly repo: string | null;
  readonly milestoneId: string | null;
  readonly at: Date;
}

/** The event as the bytes of a stream, written once for everybody who is told (HTML standard, "Server-sent events"). */
export function encodeEvent({ id, type, org, repo, milestoneId, at }: WorkspaceEvent): Buffer {
  const data = {
    id: String(id),
    type,
    org,
    ...(repo !== null && { repo }),
    ...(milestoneId !== null && { milestoneId }),
    at: at.toISOString(),
  };
  return Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** What a stream begins with: when to come back after it was cut off, and the place to come back to until an event names another. */
export const streamPreamble = (id: number): Buffer => Buffer.from(`retry: 5000\nid: ${id}\n\n`);

/** A comment, by which proxies and readers see that the stream lives. */
export const HEARTBEAT = Buffer.from(':\n\n');

/** The last event that a reader has, by the header that it sends when it comes back; null where it sends none that could be. */
export function readLastEventId(header: string | undefined): number | null {
  if (header === undefined || !/^\d{1,15}$/.test(header)) return null;
  return Number(header);
}
