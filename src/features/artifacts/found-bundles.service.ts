import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { uncompress } from 'snappyjs';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { RepositoryRef } from '../../github/transport/token-scope.js';
import { LOGGER } from '../../observability/logger.js';
import { OutgoingRequestError, OutgoingRequestsService } from '../../outgoing/outgoing-requests.service.js';
import { statesOtherPredicate } from '../../provenance/provenance-bundle.js';
import { MAX_BUNDLE_BYTES, MAX_BUNDLES, type NewBundle, toNewBundle } from './artifacts.repository.js';

const TIMEOUT_MS = 10_000;

/** Reads the provenance bundles that GitHub holds of a digest. */
@Injectable()
export class FoundBundlesService {
  constructor(
    private readonly github: GitHubGateway,
    private readonly outgoing: OutgoingRequestsService,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Returns the bundles, at most as many as a release may have. Null without the permission. Fails if GitHub or the storage of a bundle does
   * not answer, so that an outage is never taken for an answer. A bundle that can never be read gives nothing and is logged.
   */
  async find(ref: RepositoryRef, digest: string): Promise<readonly NewBundle[] | null> {
    const { value: attestations } = await this.github.attestations.listProvenances(ref, digest);
    if (attestations === null) return null;
    const found: NewBundle[] = [];
    for (const { bundle, bundleUrl } of attestations) {
      if (found.length === MAX_BUNDLES) break;
      const read = bundle === null ? await this.fetch(bundleUrl) : checkSize(toNewBundle(JSON.stringify(bundle)));
      if (typeof read === 'string')
        this.log.warn({ digest, reason: read }, 'a bundle that GitHub lists cannot be read');
      else if (!statesOtherPredicate(read.bytes)) found.push(read);
    }
    return found;
  }

  /** Returns the reason if the bundle can never be read. */
  private async fetch(url: string | null): Promise<NewBundle | string> {
    if (url === null) return 'it has no address';
    const limits = { maxBytes: MAX_BUNDLE_BYTES, timeoutMs: TIMEOUT_MS };
    try {
      const { status, headers, body } = await this.outgoing.request({ url, ...limits });
      if (status === 404 || status === 410) return 'it was deleted';
      if (status !== 200) throw new OutgoingRequestError('unavailable', `the storage of a bundle answered ${status}`);
      return readBundle(body, headers['content-type'] ?? '');
    } catch (error) {
      const isFinal = error instanceof OutgoingRequestError && (error.kind === 'refused' || error.kind === 'too_large');
      if (isFinal) return error.message;
      throw error;
    }
  }
}

/** Returns the reason if the bytes are not a JSON object, or too large without their compression. */
function readBundle(bytes: Buffer, contentType: string): NewBundle | string {
  try {
    const plain = contentType === 'application/x-snappy' ? uncompress<Uint8Array>(bytes, MAX_BUNDLE_BYTES) : bytes;
    const bundle = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(plain)) as unknown;
    return typeof bundle === 'object' && bundle !== null ? checkSize(toNewBundle(JSON.stringify(bundle))) : NO_BUNDLE;
  } catch {
    return NO_BUNDLE;
  }
}

const NO_BUNDLE = 'it is not a bundle of at most 1 MB';

const checkSize = (bundle: NewBundle): NewBundle | string =>
  bundle.bytes.length <= MAX_BUNDLE_BYTES ? bundle : NO_BUNDLE;
