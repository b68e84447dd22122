import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux assigns to outgoing connections, because such a port could be taken before the caller
 * listens.
 */
const [LOWEST, HIGHEST] = [15_000, 32_000];

/** A free port of 127.0.0.1, for a service that must know its address before it listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/**
 * Takes the UDP port of the same number, which no service uses, until this process ends. A test in another process could
 * otherwise get the same port before the caller listens.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch {
    socket.close();
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
