import type { EventType, WorkspacePart } from '../../events/events.repository.js';

/** An event of a stream. */
export interface WorkspaceEvent {
  /** The position among the events of the workspace: 1, 2, 3 and so on, in the order of the commits. */
  readonly id: number;
  readonly type: EventType;
  /** The login of the organization. */
  readonly org: string;
  /** The name of the repository; null if the event concerns the whole workspace. */
  readonly repo: string | null;
  readonly milestoneId: string | null;
  /** Null unless the type is `workspace.updated`. */
  readonly what: WorkspacePart | null;
  readonly at: Date;
}

/** Text for streams. It is encoded once for all readers. */
export class StreamFrame {
  /** The text as a chunk of a response (RFC 9112, § 7.1). */
  readonly chunk: Buffer;
  readonly bytes: Buffer;

  constructor(text: string) {
    const size = Buffer.byteLength(text).toString(16);
    this.chunk = Buffer.from(`${size}\r\n${text}\r\n`);
    this.bytes = this.chunk.subarray(size.length + 2, -2);
  }

  toString(): string {
    return this.bytes.toString();
  }
}

/** Encodes an event for all streams (HTML standard, "Server-sent events"). */
export function encodeEvent({ id, type, org, repo, milestoneId, what, at }: WorkspaceEvent): StreamFrame {
  const data = {
    id: String(id),
    type,
    org,
    ...(repo !== null && { repo }),
    ...(milestoneId !== null && { milestoneId }),
    ...(what !== null && { what }),
    at: at.toISOString(),
  };
  return new StreamFrame(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

/**
 * A comment, and a named event, because scripts of browsers receive no comments. It has no id, so a client continues from the
 * event before it.
 */
const HEARTBEAT_LINES = ':\nevent: heartbeat\ndata: {}\n\n';

/** Shows clients and proxies that the stream is alive. */
export const HEARTBEAT = new StreamFrame(HEARTBEAT_LINES);

/**
 * The start of a stream: the time until a reconnect, the id to continue from until the first event, and a heartbeat. Every change after the
 * heartbeat is sent as an event.
 */
export const streamPreamble = (id: number): StreamFrame =>
  new StreamFrame(`retry: 5000\nid: ${id}\n\n${HEARTBEAT_LINES}`);

/** Parses the id of an event. Returns null if it is missing or not valid. */
export function parseEventId(id: string | undefined): number | null {
  if (id === undefined || !/^\d{1,15}$/.test(id)) return null;
  return Number(id);
}
