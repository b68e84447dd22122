import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Clock } from '../../../config/clock.js';
import { objectUrl, readStorageLocation, type StorageLocation } from '../../../config/value-parsers.js';
import type { OrgId } from '../../../database/ids.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { LOGGER } from '../../../observability/logger.js';
import type { ContentLocation, ReportContent, ReportStore } from './report-store.js';

const CONNECT_MS = 3_000;
/** The time until the response begins: enough for the largest file, and less than the timeout of CI. */
const ANSWER_MS = 10_000;
const SILENCE_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;
/** A slow download occupies a connection. With the low default, downloads could leave no connection for uploads. */
const MAX_CONNECTIONS = 500;

/** A client of S3-compatible stores, with the credentials of the standard AWS environment variables. */
@Injectable()
export class ObjectStore implements OnApplicationShutdown {
  /** One client per endpoint and region. Older content may be in another bucket. */
  private readonly clients = new Map<string, Promise<S3Client>>();

  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /** Writes the object. Overwrites an existing one. */
  async put(location: string, bytes: Uint8Array): Promise<void> {
    const { PutObjectCommand } = await import('@aws-sdk/client-s3');
    const { bucket, key, client } = await this.reach(location);
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: bytes,
      ContentLength: bytes.length,
      ContentType: 'application/octet-stream',
    });
    await client.send(command).catch((cause: unknown) => this.refuse(location, cause));
  }

  /** Reads the object. Returns null if there is none. */
  async read(location: string): Promise<AsyncIterable<Buffer> | null> {
    const { GetObjectCommand, NoSuchKey } = await import('@aws-sdk/client-s3');
    const { bucket, key, client } = await this.reach(location);
    try {
      const { Body: body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return this.passing(location, body);
    } catch (cause) {
      return cause instanceof NoSuchKey ? null : this.refuse(location, cause);
    }
  }

  /** Deletes the object. Succeeds if there is none. */
  async remove(location: string): Promise<void> {
    const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
    const { bucket, key, client } = await this.reach(location);
    const command = new DeleteObjectCommand({ Bucket: bucket, Key: key });
    await client.send(command).catch((cause: unknown) => this.refuse(location, cause));
  }

  /** Yields the locations of all objects of a workspace below this base, also of those without a row. */
  async *list(base: StorageLocation, orgId: OrgId): AsyncGenerator<string> {
    const { paginateListObjectsV2 } = await import('@aws-sdk/client-s3');
    const folder = objectUrl(base, orgId);
    const { bucket, key, client } = await this.reach(folder);
    try {
      for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: `${key}/` })) {
        for (const { Key: found } of page.Contents ?? []) {
          if (found !== undefined) yield objectUrl({ ...base, prefix: '' }, found);
        }
      }
    } catch (cause) {
      this.refuse(folder, cause);
    }
  }

  /** Runs after all requests have ended, because they use the clients. */
  async onApplicationShutdown(): Promise<void> {
    for (const client of this.clients.values()) (await client).destroy();
  }

  private async *passing(location: string, body: GetObjectCommandOutput['Body']): AsyncGenerator<Buffer> {
    if (!(body instanceof Readable)) throw new TypeError('The store returned an object without a stream.');
    try {
      for await (const chunk of body) yield chunk as Buffer;
    } catch (cause) {
      this.refuse(location, cause);
    } finally {
      body.destroy();
    }
  }

  private async reach(location: string): Promise<{ bucket: string; key: string; client: S3Client }> {
    const { bucket, prefix: key, endpoint, region } = readStorageLocation(location);
    const place = JSON.stringify([endpoint, region]);
    const client = this.clients.get(place) ?? createS3Client({ endpoint, region });
    this.clients.set(place, client);
    return { bucket, key, client: await client };
  }

  /** Logs at level `error`, because no upload and no download works until the operator acts. */
  private refuse(location: string, cause: unknown): never {
    this.log.error({ location, err: cause }, 'report storage failed');
    throw new DomainError('unavailable', 'The storage of report files is not available. Try again soon.', {
      cause,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

/** Creates a client with the credentials of the environment. An answer must begin within the limit. */
export async function createS3Client(
  { endpoint, region }: Pick<StorageLocation, 'endpoint' | 'region'>,
  answerLimitMs = ANSWER_MS,
): Promise<S3Client> {
  const { S3Client } = await import('@aws-sdk/client-s3');
  return new S3Client({
    ...(region !== null && { region }),
    // Stores other than AWS have no host name per bucket and may not support checksums.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: {
      httpAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
      connectionTimeout: CONNECT_MS,
      requestTimeout: answerLimitMs,
      throwOnRequestTimeout: true,
      // A slow download also delays the reads from the store.
      socketTimeout: SILENCE_MS,
    },
  });
}

/** Stores content as objects of a bucket, under one prefix per workspace. */
export class S3ReportStore implements ReportStore {
  constructor(
    private readonly objects: ObjectStore,
    private readonly base: StorageLocation,
    private readonly clock: Clock,
  ) {}

  async store(orgId: OrgId, { sha256, blocks }: ReportContent): Promise<ContentLocation> {
    // With the month, so that no upload writes to the location of content that was deleted long ago.
    const month = this.clock.now().toISOString().slice(0, 7);
    const location = objectUrl(this.base, orgId, month, sha256);
    await this.objects.put(location, Buffer.concat(blocks));
    return { location };
  }
}
