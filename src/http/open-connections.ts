import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { clientNetworkPrefix } from './rate-limit/rate-limit.service.js';

/** How long clients may take, in milliseconds. */
export interface ConnectionTimings {
  /** The head of a request. */
  readonly headersMs: number;
  /** Between two bytes of a body. */
  readonly bodyIdleMs: number;
  /** A request whole, but for an upload whose sender was let in. */
  readonly requestMs: number;
  /** Such an upload. */
  readonly uploadMs: number;
  /** What is still arriving when the service begins to stop. */
  readonly stoppingMs: number;
  /** Between two moments in which some of an answer is taken. */
  readonly answerIdleMs: number;
  /** Between two requests of a connection. */
  readonly keepAliveMs: number;
  /** How often is looked whether one of these is over. */
  readonly checkMs: number;
}

export const CONNECTION_TIMINGS: ConnectionTimings = {
  headersMs: 10_000,
  bodyIdleMs: 10_000,
  requestMs: 15_000,
  uploadMs: 300_000,
  stoppingMs: 12_000,
  answerIdleMs: 30_000,
  keepAliveMs: 65_000,
  checkMs: 1_000,
};

interface Connection {
  readonly network: string;
  /** Requests that are not answered yet. */
  requests: number;
  /** When some of what waits to be sent was last taken. */
  takenAt: number;
  /** By what that is noticed. */
  unsent: string;
}

/** Whether an address is one of those, as `TRUSTED_PROXIES` writes them. */
export function networkTest(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address = '') => {
    const bare = address.split('%', 1)[0] ?? '';
    return list.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4');
  };
}

/**
 * The connections of a server. No client has more than its share of them, and none of them is kept for somebody who does not
 * read what they asked for. A proxy that is trusted has those of all of its clients.
 */
export class OpenConnections {
  readonly #connections = new Map<Socket, Connection>();
  /** By client, in the order in which they came. */
  readonly #ofClient = new Map<string, Set<Socket>>();
  readonly #isTrusted: (address: string | undefined) => boolean;

  constructor(
    private readonly most: number,
    trustedProxies: readonly string[],
    private readonly timings: ConnectionTimings,
  ) {
    this.#isTrusted = networkTest(trustedProxies);
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#connections.get(socket);
      if (!connection) return;
      connection.requests += 1;
      response.once('close', () => (connection.requests -= 1));
    });
    const timer = setInterval(() => this.#look(), this.timings.checkMs).unref();
    server.once('close', () => clearInterval(timer));
  }

  #add(socket: Socket): void {
    const network = clientNetworkPrefix(socket.remoteAddress ?? '');
    if (!this.#isTrusted(socket.remoteAddress) && !this.#makeRoom(network)) {
      socket.destroy();
      return;
    }
    const siblings = this.#ofClient.get(network) ?? new Set();
    this.#ofClient.set(network, siblings.add(socket));
    this.#connections.set(socket, { network, requests: 0, takenAt: performance.now(), unsent: '' });
    socket.once('close', () => {
      this.#connections.delete(socket);
      siblings.delete(socket);
      if (siblings.size === 0 && this.#ofClient.get(network) === siblings) this.#ofClient.delete(network);
    });
  }

  /** Where a client has as many as one may have, the oldest that waits for no answer makes way: it may be somebody else's. */
  #makeRoom(network: string): boolean {
    const siblings = this.#ofClient.get(network);
    if (siblings === undefined || siblings.size < this.most) return true;
    for (const socket of siblings) {
      if (this.#connections.get(socket)?.requests !== 0) continue;
      socket.destroy();
      siblings.delete(socket);
      return true;
    }
    return false;
  }

  #look(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#connections) {
      const unsent = unsentOf(socket);
      if (unsent === '' || unsent !== connection.unsent) {
        connection.unsent = unsent;
        connection.takenAt = now;
      } else if (now - connection.takenAt > this.timings.answerIdleMs) socket.destroy();
    }
  }
}

/** Another text whenever some of what waits to be sent was taken; empty where nothing waits. */
function unsentOf(socket: Socket): string {
  if (socket.writableLength === 0) return '';
  // What the kernel has not taken of the piece that is being written: one of megabytes would hide for minutes that it is read.
  const handle = Reflect.get(socket, '_handle') as { readonly writeQueueSize?: number } | null | undefined;
  return `${socket.bytesWritten - socket.writableLength}:${handle?.writeQueueSize ?? ''}`;
}
