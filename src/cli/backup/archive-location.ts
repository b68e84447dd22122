import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { link, mkdir, open, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readStorageLocation } from '../../config/value-parsers.js';
import { createS3Client } from '../../features/evidence/storage/s3-report-store.js';

/** The place of a backup: a file, or an object of a bucket. */
export interface ArchiveLocation {
  readonly url: string;
  /** Stores the whole archive under its name, or nothing. Never replaces an existing one. */
  write(archive: Readable): Promise<void>;
  read(): Promise<Readable>;
}

/** The size of the parts of an object, of which there are at most 10,000: 640 GB. Two of them are held in memory. */
const PART_BYTES = 64 * 1_048_576;
const PART_LIMIT_MS = 600_000;

/** Returns the place of a path or an `s3://` URL. If it ends with a slash, it is a folder, and the archive gets `name`. */
export function archiveLocation(target: string, name: string): ArchiveLocation {
  if (!target.startsWith('s3://')) return filePlace(target.endsWith('/') ? `${target}${name}` : target);
  const url = new URL(target);
  if (url.pathname === '' || url.pathname.endsWith('/')) url.pathname = `${url.pathname}${name}`;
  return objectPlace(url.href);
}

function filePlace(path: string): ArchiveLocation {
  return {
    url: path,
    write: async (archive) => {
      if (existsSync(path)) throw new Error(`${path} exists already. Choose another name.`);
      await mkdir(dirname(resolve(path)), { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}.partial`;
      try {
        await pipeline(archive, createWriteStream(draft, { flags: 'wx', mode: 0o600 }));
        await flush(draft);
        // Unlike a rename, a link never replaces a file.
        await link(draft, path);
      } finally {
        await unlink(draft).catch(() => undefined);
      }
      if (process.platform !== 'win32') await flush(dirname(resolve(path)));
    },
    read: async () => {
      const file = await open(path).catch((cause: unknown) => {
        throw new Error(`${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      });
      await file.close();
      return createReadStream(path);
    },
  };
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function objectPlace(url: string): ArchiveLocation {
  const location = readStorageLocation(url);
  const { bucket: Bucket, prefix: Key } = location;
  const connect = (): ReturnType<typeof createS3Client> => createS3Client(location, PART_LIMIT_MS);
  return {
    url,
    write: async (archive) => {
      const [client, { HeadObjectCommand }, { Upload }] = await Promise.all([
        connect(),
        import('@aws-sdk/client-s3'),
        import('@aws-sdk/lib-storage'),
      ]);
      try {
        const exists = await client.send(new HeadObjectCommand({ Bucket, Key })).then(
          () => true,
          (error: unknown) => {
            if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404) return false;
            throw error;
          },
        );
        if (exists) throw new Error(`${url} exists already. Choose another name.`);
        // An error of the archive also ends the upload, whose parts are then deleted.
        const upload = new Upload({
          client,
          params: { Bucket, Key, Body: archive, ContentType: 'application/octet-stream' },
          partSize: PART_BYTES,
          queueSize: 1,
        });
        await upload.done();
      } finally {
        client.destroy();
      }
    },
    read: async () => {
      const { GetObjectCommand } = await import('@aws-sdk/client-s3');
      const client = await connect();
      const { Body: body } = await client.send(new GetObjectCommand({ Bucket, Key })).catch((cause: unknown) => {
        client.destroy();
        throw new Error(`${url} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      });
      if (!(body instanceof Readable)) throw new TypeError('The store returned an object without a stream.');
      return body.once('close', () => client.destroy());
    },
  };
}
