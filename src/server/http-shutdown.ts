import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ShutdownStep } from './shutdown.js';

const IN_FLIGHT_MS = 15_000;
/** What was connected before the end was asked for may have sent a request that was not read yet: a first one, or another. */
const FIRST_REQUEST_MS = 1_000;
const TIMEOUT_MS = 18_000;

/**
 * Stops listening, finishes what is in flight and runs the application's own hooks. A request that was sent on a connection which
 * had been taken is answered. Requests that are still not finished after 15 s are cut off; bodies that are still arriving
 * have been refused by then (`stoppingMs`). To be made before the application listens.
 */
export function httpShutdown(app: NestFastifyApplication): ShutdownStep {
  const connections = new OpenConnections(app.getHttpServer());
  return {
    name: 'http',
    timeoutMs: TIMEOUT_MS,
    async stop() {
      const cutOff = setTimeout(() => connections.cutOff(), IN_FLIGHT_MS);
      // What arrived meanwhile is read first, also where the loop was held up for longer than that.
      const closeSilent = setTimeout(() => setImmediate(() => connections.closeSilent()), FIRST_REQUEST_MS);
      try {
        connections.closeAfterAnswers();
        await app.close();
      } finally {
        clearTimeout(cutOff);
        clearTimeout(closeSilent);
      }
    },
  };
}

/** Node itself closes those that have had a request, and not in every version those that browsers open in advance. */
class OpenConnections {
  private readonly requestsOn = new Map<Socket, number>();
  private isClosing = false;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.requestsOn.set(socket, 0);
      socket.once('close', () => this.requestsOn.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.count(socket, 1);
      response.once('close', () => {
        this.count(socket, -1);
        if (this.isClosing && this.requestsOn.get(socket) === 0) socket.end();
      });
    });
  }

  closeAfterAnswers(): void {
    this.isClosing = true;
    // As it stops listening, Node closes what is between two requests, and from 26 on what has had none: without a look at
    // what has come in, and so perhaps unanswered.
    this.server.closeIdleConnections = () => undefined;
  }

  closeSilent(): void {
    for (const [socket, requests] of this.requestsOn) {
      if (requests === 0) socket.destroy();
    }
  }

  cutOff(): void {
    for (const socket of this.requestsOn.keys()) socket.destroy();
  }

  private count(socket: Socket, change: 1 | -1): void {
    const requests = this.requestsOn.get(socket);
    if (requests !== undefined) this.requestsOn.set(socket, requests + change);
  }
}
