import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Server {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}
type ServerClass = new (options: object) => Server;

const require = createRequire(import.meta.url);
const S3rver = require('s3rver') as ServerClass;
const BUCKET = 'reports';
const OBJECT_SUFFIX = '._S3rver_object';

/** An S3 server with one bucket, on loopback. It stores objects as files, which a test can damage. */
export class S3TestServer {
  private constructor(
    private readonly server: Server,
    private readonly directory: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<S3TestServer> {
    // The credentials that the server accepts. An S3 client reads them from the environment.
    process.env['AWS_ACCESS_KEY_ID'] = 'S3RVER';
    process.env['AWS_SECRET_ACCESS_KEY'] = 'S3RVER';
    const directory = await mkdtemp(join(tmpdir(), 'shipgate-objects-'));
    const configureBuckets = [{ name: BUCKET, configs: [] }];
    const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
    const { port } = await server.run();
    return new S3TestServer(server, directory, port);
  }

  /** The value of `STORAGE_URL`. */
  storageUrl(prefix = 'kept'): string {
    return `s3://${BUCKET}/${prefix}?endpoint=http://127.0.0.1:${this.port}&region=us-east-1`;
  }

  /** The keys of all objects. */
  async keys(): Promise<readonly string[]> {
    const files = await readdir(join(this.directory, BUCKET), { recursive: true });
    return files.filter((file) => file.endsWith(OBJECT_SUFFIX)).map((file) => file.slice(0, -OBJECT_SUFFIX.length));
  }

  /** Changes one byte of a stored object. */
  async corrupt(key: string): Promise<void> {
    const bytes = await readFile(this.fileOf(key));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(this.fileOf(key), bytes);
  }

  async lose(key: string): Promise<void> {
    await rm(this.fileOf(key));
  }

  async goDown(): Promise<void> {
    await this.server.close();
  }

  async clear(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  private fileOf(key: string): string {
    return join(this.directory, BUCKET, `${key}${OBJECT_SUFFIX}`);
  }
}
