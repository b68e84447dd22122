import type { Clock } from '../../config/clock.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

const PERMISSION = 'attestations';
/** 200 attestations. A release has at most 20 bundles. */
const MAX_PAGES = 2;

/** An attestation of a digest. Its Sigstore bundle is in the list of GitHub or at an address. */
export interface Attestation {
  readonly bundle: Readonly<Record<string, unknown>> | null;
  readonly bundleUrl: string | null;
}

export class Attestations {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the attestations of a digest (`sha256:…`) in the repository that GitHub takes for provenance. Null without the permission, which
   * is optional: GitHub answers 403 and 404 for many reasons, so the installation's token shows whether it was granted.
   */
  async listProvenances(
    ref: RepositoryRef,
    digest: string,
    signal?: AbortSignal,
  ): Promise<Observed<readonly Attestation[] | null>> {
    return observe(this.clock, async () => {
      if (!(await this.calls.isGranted(ref, PERMISSION, { signal }))) return null;
      try {
        const parameters = { subject_digest: digest, predicate_type: 'provenance', per_page: 100 } as const;
        const { listAttestations } = this.calls.rest.repos;
        const { value: pages } = await this.calls.pages(ref, listAttestations, parameters, MAX_PAGES, signal);
        return pages.flatMap((page) => page.list('attestations').map(parseAttestation));
      } catch (error) {
        if (!GitHubError.is(error, 'forbidden', 'not_found')) throw error;
        // The permission may have been removed after the token was issued.
        if (!(await this.calls.isGranted(ref, PERMISSION, { withNewToken: true, signal }))) return null;
        if (error.kind === 'forbidden') throw error;
        await this.calls.confirm(ref, signal);
        return [];
      }
    });
  }
}

const parseAttestation = (item: JsonReader): Attestation => ({
  bundle: item.has('bundle') ? item.fieldsOrEmpty('bundle') : null,
  bundleUrl: item.textOrNull('bundle_url'),
});
