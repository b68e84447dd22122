import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { clientNetworkPrefix } from './rate-limit/rate-limit.service.js';

/** Time limits for clients, in milliseconds. */
export interface ConnectionTimings {
  /** For the head of a request. */
  readonly headersMs: number;
  /** Between two bytes of a request body. */
  readonly bodyIdleMs: number;
  /** For a complete request, except an authorized upload. */
  readonly requestMs: number;
  /** For an authorized upload. */
  readonly uploadMs: number;
  /** For bodies that are still arriving when the service starts to stop. */
  readonly stoppingMs: number;
  /** Between two reads of an answer by the client. */
  readonly answerIdleMs: number;
  /** Between two requests of one connection. */
  readonly requestIdleMs: number;
  /** The interval between two checks of these limits. */
  readonly checkMs: number;
}

export const CONNECTION_TIMINGS: ConnectionTimings = {
  headersMs: 10_000,
  bodyIdleMs: 10_000,
  requestMs: 15_000,
  uploadMs: 300_000,
  stoppingMs: 12_000,
  answerIdleMs: 30_000,
  requestIdleMs: 65_000,
  checkMs: 1_000,
};

interface Connection {
  readonly network: string;
  /** The number of unanswered requests. */
  requests: number;
  /** The last time at which the client read some of the unsent data. */
  lastReadAt: number;
  /** The state of the unsent data. A change means that the client has read some of it. */
  unsent: string;
}

/** Builds a test for addresses in these networks, in the format of `TRUSTED_PROXIES`. */
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
 * The open connections of a server. Limits the number per client network and closes connections whose client does not
 * read its answer. A trusted proxy is not limited, because it carries the connections of all of its clients.
 */
export class OpenConnections {
  readonly #connections = new Map<Socket, Connection>();
  /** The sockets of each client network, oldest first. */
  readonly #socketsByClient = new Map<string, Set<Socket>>();
  readonly #isTrusted: (address: string | undefined) => boolean;

  constructor(
    private readonly limit: number,
    trustedProxies: readonly string[],
    private readonly timings: ConnectionTimings,
  ) {
    this.#isTrusted = networkTest(trustedProxies);
  }

  watch(server: Server): void {
    const connections = this.#connections;
    // One listener for all connections and one for all responses, because each would take memory as long as its connection.
    const onResponseClose = function (this: ServerResponse): void {
      const connection = connections.get(this.req.socket);
      if (connection) connection.requests -= 1;
    };
    const remove = (socket: Socket): void => this.#remove(socket);
    const onSocketClose = function (this: Socket): void {
      remove(this);
    };
    server.on('connection', (socket: Socket) => {
      if (this.#add(socket)) socket.on('close', onSocketClose);
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = connections.get(socket);
      if (!connection) return;
      connection.requests += 1;
      response.on('close', onResponseClose);
    });
    const timer = setInterval(() => this.#check(), this.timings.checkMs).unref();
    server.once('close', () => clearInterval(timer));
  }

  #add(socket: Socket): boolean {
    const network = clientNetworkPrefix(socket.remoteAddress ?? '');
    if (!this.#isTrusted(socket.remoteAddress) && !this.#reserveConnection(network)) {
      socket.destroy();
      return false;
    }
    const siblings = this.#socketsByClient.get(network) ?? new Set();
    this.#socketsByClient.set(network, siblings.add(socket));
    this.#connections.set(socket, { network, requests: 0, lastReadAt: performance.now(), unsent: '' });
    return true;
  }

  #remove(socket: Socket): void {
    const network = this.#connections.get(socket)?.network;
    this.#connections.delete(socket);
    if (network === undefined) return;
    const siblings = this.#socketsByClient.get(network);
    siblings?.delete(socket);
    if (siblings?.size === 0) this.#socketsByClient.delete(network);
  }

  /**
   * Returns whether the client may open another connection. At the limit it closes the oldest connection without a
   * pending request, because several users may share the address.
   */
  #reserveConnection(network: string): boolean {
    const siblings = this.#socketsByClient.get(network);
    if (siblings === undefined || siblings.size < this.limit) return true;
    for (const socket of siblings) {
      if (this.#connections.get(socket)?.requests !== 0) continue;
      socket.destroy();
      siblings.delete(socket);
      return true;
    }
    return false;
  }

  #check(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#connections) {
      const unsent = describeUnsent(socket);
      if (unsent === '' || unsent !== connection.unsent) {
        connection.unsent = unsent;
        connection.lastReadAt = now;
      } else if (now - connection.lastReadAt > this.timings.answerIdleMs) socket.destroy();
    }
  }
}

/** Describes the unsent data. The text changes whenever the client reads some of it. Empty if there is none. */
function describeUnsent(socket: Socket): string {
  if (socket.writableLength === 0) return '';
  // The part of the current chunk that the kernel has not accepted. Without it a chunk of megabytes would hide for
  // minutes that the client reads.
  const handle = Reflect.get(socket, '_handle') as { readonly writeQueueSize?: number } | null | undefined;
  return `${socket.bytesWritten - socket.writableLength}:${handle?.writeQueueSize ?? ''}`;
}
