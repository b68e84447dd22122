import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Forwards connections to a server on loopback. It can be cut: then its connections break and new ones are refused. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async to(port: number): Promise<TcpProxy> {
    const server = createServer();
    const line = new TcpProxy(server);
    server.on('connection', (near) => {
      const far = connect(port, '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) {
        line.sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => line.sockets.delete(socket));
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return line;
  }

  /** The port that clients connect to. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async cut(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }
}
