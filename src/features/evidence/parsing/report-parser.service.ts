import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { OrgId } from '../../../database/ids.js';
import { totalSize } from '../../../http/body/byte-blocks.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { LOGGER } from '../../../observability/logger.js';
import { type CoverageUnion, uniteEncoded, type ParsedFile, parseFiles, type ParseRequest } from './report-parsing.js';
import { listBlocks, ParserThreadConfig, type ThreadRequest, type ThreadResult } from './parser-thread.js';
import { ParserThreads } from './parser-threads.js';
import { type BodyParseRequest, type ParsedBody, parseUploadBody } from './upload-body.js';

/** Parsing this many bytes takes about as long as the use of a thread, which is less than a millisecond. */
const SMALL_BYTES = 4_096;

/**
 * Parses the JSON and the files of uploads in threads, because a report of 25 MB takes a second, in which the process could not
 * answer the gate. Small ones are parsed at once.
 */
@Injectable()
export class ReportParserService implements OnApplicationShutdown {
  private readonly threads: ParserThreads;

  constructor(
    source: ParserThreadConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.threads = new ParserThreads(source);
  }

  get load(): ParserThreads['load'] {
    return this.threads.load;
  }

  /**
   * Parses the files. Throws `unprocessable` with file, line and cause if one of them is not valid. Ends with the reason of `signal`
   * when it aborts.
   */
  async parse(orgId: OrgId, { files, kind }: ParseRequest, signal: AbortSignal): Promise<readonly ParsedFile[]> {
    const request = { files, kind };
    const result = isSmall(request) ? parseFiles(request) : await this.parseInThread(orgId, request, signal);
    if ('rejected' in result) throw new DomainError('unprocessable', result.rejected);
    return result.files;
  }

  /**
   * Parses the JSON of an upload. Throws a `DomainError` if it is not valid or exceeds the limits. Ends with the reason of `signal`
   * when it aborts.
   */
  async readBody(orgId: OrgId, request: BodyParseRequest, signal: AbortSignal): Promise<ParsedBody> {
    const result = isSmall(request) ? parseUploadBody(request) : await this.parseInThread(orgId, request, signal);
    if ('rejected' in result) throw new DomainError(result.rejected.code, result.rejected.message);
    return result.parsed;
  }

  /** Unites the encoded lines of several uploads. */
  async uniteCoverage(orgId: OrgId, coverage: readonly Uint8Array[]): Promise<CoverageUnion> {
    // Copies, because the buffers are transferred, and those of the database may share their memory.
    const request = { coverage: coverage.map((bytes) => Uint8Array.from(bytes)) };
    return isSmall(request) ? uniteEncoded(request) : this.threads.run(orgId, request, new AbortController().signal);
  }

  /** Runs after all requests have ended, because uploads use the threads. */
  async onApplicationShutdown(): Promise<void> {
    await this.threads.end();
  }

  private async parseInThread<Request extends ThreadRequest>(
    orgId: OrgId,
    request: Request,
    signal: AbortSignal,
  ): Promise<ThreadResult<Request>> {
    try {
      return await this.threads.run(orgId, request, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.log.error({ err: error, orgId }, 'upload parser failed');
      throw new DomainError(
        'unprocessable',
        'The upload could not be parsed within the limits of time and memory. Split it into smaller uploads.',
        { cause: error },
      );
    }
  }
}

const isSmall = (request: ThreadRequest): boolean => totalSize(listBlocks(request)) <= SMALL_BYTES;
