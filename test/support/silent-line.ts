import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Forwards connections to a server on loopback. It can fall silent, like a network that drops packets: no connection
 * ends, and no byte arrives.
 */
export class SilentLine {
  private readonly pairs = new Set<readonly [near: Socket, far: Socket]>();
  private isSilent = false;
  private silencingText: string | null = null;

  private constructor(private readonly server: Server) {}

  static async to(port: number): Promise<SilentLine> {
    const server = createServer();
    const line = new SilentLine(server);
    server.on('connection', (near) => line.join(near, connect(port, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return line;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Stops forwarding. Existing connections stay open and never forward a byte again. */
  fallSilent(): void {
    this.isSilent = true;
    for (const pair of this.pairs) separate(pair);
  }

  /** The next connection that sends the text falls silent: the server gets it, and no answer arrives. Resolves then. */
  async fallSilentAt(text: string): Promise<void> {
    this.silencingText = text;
    await once(this.server, 'fell silent');
  }

  /** Ends all connections. New connections work. */
  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  /** New connections work again. */
  recover(): void {
    this.isSilent = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket, far: Socket): void {
    const pair = [near, far] as const;
    this.pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.pairs.delete(pair);
        for (const end of pair) end.destroy();
      });
    }
    near.on('data', (data) => {
      if (this.silencingText === null || !data.includes(this.silencingText)) return;
      this.silencingText = null;
      separate(pair);
      this.server.emit('fell silent');
    });
    if (this.isSilent) separate(pair);
    else near.pipe(far).pipe(near);
  }
}

function separate([near, far]: readonly [Socket, Socket]): void {
  near.unpipe(far);
  far.unpipe(near);
  // The bytes are read and dropped, so that the end of a connection is noticed.
  near.resume();
  far.resume();
}
